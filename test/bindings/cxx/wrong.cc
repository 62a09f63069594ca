// Calls of write, read and the operators that must not compile, one for each value of WRONG; with
// 0, correct calls.
#include <sion_cxx.h>

#include <map>
#include <memory>

struct plain {
    int number;
    double weight[3];
};

struct owner {
    std::string name;
};

int main()
{
    sionlib::serial::SIONFile file("wrong.sion");
    std::vector<std::string> texts(3);
    std::vector<std::vector<int>> rows(3);
    std::vector<bool> flags(8);
    std::map<int, int> numbers;
    std::unique_ptr<int> held(new int(1));
    std::vector<int *> addresses(2);
    owner one, *some = &one;
    char *text = &one.name[0];
    int *const list[2] = {NULL, NULL};
    plain record = plain();
    plain records[4] = {};
    std::vector<plain> many(4);
    std::array<double, 4> four = {{1, 2, 3, 4}};

    (void)some, (void)text, (void)list, (void)held;
#if WRONG == 0
    file << record << records << many << four << one.name << 1 << 0.5 << 'c' << "text";
    file >> record >> records >> many >> four >> one.name;
    file.write(records, 4);
    file.read(records, 4);
    file.write(many, 32, 4);
    file.read(&many, 32, 4);
    file.read(static_cast<void *>(records), 1, 8);
#elif WRONG == 1
    file.write(texts);
#elif WRONG == 2
    file << rows;
#elif WRONG == 3
    file.write(one);
#elif WRONG == 4
    file << numbers;
#elif WRONG == 5
    file.write(some, 1);
#elif WRONG == 6
    file.write(list);
#elif WRONG == 7
    file.write(addresses);
#elif WRONG == 8
    file.write(held);
#elif WRONG == 9
    file.write(texts, 32, 3);
#elif WRONG == 10
    file.read(&one);
#elif WRONG == 11
    file >> texts;
#elif WRONG == 12
    file.read(&texts, 32, 3);
#elif WRONG == 13
    file.read(&text);
#elif WRONG == 14
    file >> numbers;
#elif WRONG == 15
    file << flags;
#elif WRONG == 16
    static_cast<sionlib::ParallelFile *>(NULL)->write(text);
#endif
    return 0;
}
