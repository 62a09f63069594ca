"""What Python programs do with files: os, shutil, tempfile, glob, subprocess, multiprocessing."""

import glob
import multiprocessing
import os
import pathlib
import shutil
import subprocess
import tempfile


def work(number):
    folder = f"m/pool/{number % 3}"
    os.makedirs(folder, exist_ok=True)
    with open(f"{folder}/{number}", "w") as file:
        file.write(str(number) * 3)
    return os.path.getsize(f"{folder}/{number}")


def main():
    pathlib.Path("m/p/q").mkdir(parents=True)
    pathlib.Path("m/p/q/text").write_text("text\n")
    shutil.copytree("m/p", "m/copy")
    shutil.move("m/copy/q/text", "m/copy/moved")
    shutil.copy2("m/copy/moved", "m/copy/second")
    os.symlink("moved", "m/copy/link")
    os.chmod("m/copy/second", 0o600)
    os.utime("m/copy/second", (1000, 2000))
    print(os.stat("m/copy/second").st_mtime, os.path.realpath("m/copy/link").endswith("/m/copy/moved"))
    with tempfile.TemporaryDirectory(dir="m") as name:
        handle, path = tempfile.mkstemp(dir=name)
        os.write(handle, b"x")
        os.close(handle)
        print(os.listdir(name) == [os.path.basename(path)])
    print(sorted(glob.glob("m/**", recursive=True)))
    print(sorted(entry.name for entry in os.scandir("m/copy")))
    with multiprocessing.Pool(3) as pool:
        print(sum(pool.map(work, range(20))))
    there = subprocess.run("pwd | sed 's|.*/||'; ls", shell=True, cwd="m/copy", stdout=subprocess.PIPE, check=True)
    print(there.stdout.decode())
    clean = subprocess.run(["/bin/cat", "m/copy/moved"], env={}, stdout=subprocess.PIPE, check=True)
    print(clean.stdout, os.getcwd().split("/")[-1])
    os.chdir("m/copy")
    print(os.getcwd().split("/")[-2:], os.path.exists("second"), os.path.exists("../p/q/text"))
    os.chdir("../..")
    shutil.rmtree("m/p")
    folder = os.open("m/copy", os.O_RDONLY)
    print(sorted(os.listdir(folder)), os.stat("moved", dir_fd=folder).st_size)
    os.unlink("second", dir_fd=folder)
    os.close(folder)
    os.replace("m/copy/moved", "m/replaced")
    print(sorted((str(p), f) for p, _, f in os.walk("m/copy")))


if __name__ == "__main__":
    main()
