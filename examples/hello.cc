// One process writes a vector to a container, and reads it back.
#include <iostream>
#include <vector>
#include <sion_cxx_serial.hpp>

int main()
{
    const std::vector<double> written(1000, 0.5);
    std::vector<double> read(written.size());
    const int unit = sizeof(double), length = static_cast<int>(written.size());

    sionlib::serial::SIONFile out("hello_cxx.sion", "w");
    out.setChunkSize(unit * length);
    out.open();
    out.write(written, unit, length);
    if (out.close() != 1)
        return 1; // the library has printed the reason to stderr

    sionlib::serial::SIONFile in("hello_cxx.sion", "r");
    in.open();
    in.read(&read, unit, length);
    if (in.getNumberOfSuccessfulReadElements() != length || in.close() != 1 || read != written)
        return 1;
    std::cout << "read " << read.size() << " numbers, all equal to those written\n";
    return 0;
}
