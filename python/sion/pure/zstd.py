"""zstd, by the module zstandard, which is needed only where something is compressed."""

from __future__ import annotations

from ..errors import Code, Error
from . import frames


class Zstd:
    """Decompresses frames. `reason`: what needs it, for the message if the module is missing."""

    def __init__(self, reason: str) -> None:
        try:
            import zstandard
        except ImportError as error:
            raise Error(f"{reason}, which the reader in Python reads with the module zstandard: {error}",
                        Code.ARGUMENT) from error
        self._error: "type[Exception]" = zstandard.ZstdError
        self._decompressor = zstandard.ZstdDecompressor()

    def unpack(self, data: bytes, plain: int) -> bytes:
        """The bytes of whole frames, which are so many: no memory depends on what they say.

        :raises ValueError: they are damaged
        """
        at, found = 0, []
        while at < len(data):
            frame = frames.frame_end(lambda offset, count: data[offset:offset + count], len(data), at)
            if frame is None:
                raise ValueError("it is not complete")
            end, count = frame
            if count > plain:
                raise ValueError("it holds more bytes than it should")
            if count:
                found.append(self._decompress(data[at:end], count))
            plain -= count
            at = end
        if plain:
            raise ValueError("it holds fewer bytes than it should")
        return b"".join(found)

    def _decompress(self, frame: bytes, count: int) -> bytes:
        try:
            data: bytes = self._decompressor.decompress(frame)
        except self._error as error:
            raise ValueError(str(error)) from error
        if len(data) != count:
            raise ValueError("it holds another number of bytes than it says")
        return data
