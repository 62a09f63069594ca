#include <sion_cxx_serial.hpp>
int main()
{
    sionlib::serial::SIONFile file("consumer_cxx.sion");

    file.setFileSystemBlockSize(512);
    file.open();
    file << 'x';
    return file.close() != 1;
}
