// Streams and the file system library of C++.
#include <filesystem>
#include <fstream>
#include <iostream>
#include <set>
#include <string>

namespace fs = std::filesystem;

int main()
{
    fs::create_directories("m/a/b/c");
    std::ofstream("m/a/text") << "one\ntwo\n";
    std::fstream both("m/a/text", std::ios::in | std::ios::out | std::ios::app);
    std::string line;
    std::getline(both, line);
    std::cout << line << '\n';
    both.clear();
    both << "three\n";
    both.close();
    std::cout << fs::file_size("m/a/text") << ' ' << fs::exists("m/a/none") << '\n';
    fs::copy("m/a", "m/copy", fs::copy_options::recursive);
    fs::rename("m/copy/text", "m/copy/renamed");
    fs::create_symlink("renamed", "m/copy/link");
    std::cout << fs::read_symlink("m/copy/link") << ' ' << fs::is_symlink("m/copy/link") << '\n';
    fs::permissions("m/copy/renamed", fs::perms::owner_read);
    fs::resize_file("m/a/text", 4);
    std::set<std::string> names;
    for (const auto &entry : fs::recursive_directory_iterator("m"))
        names.insert(entry.path().string());
    for (const auto &name : names)
        std::cout << name << '\n';
    std::cout << fs::remove_all("m/a/b") << '\n';
    fs::current_path("m/copy");
    std::cout << fs::current_path().filename() << ' ' << fs::exists("renamed") << '\n';
    std::cout << fs::canonical("link").filename() << '\n';
}
