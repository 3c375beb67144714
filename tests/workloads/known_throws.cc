/*
 * Throws and catches 37 C++ exceptions in known ways and prints them as JSON.
 *
 *   19  caught in the frame that called the thrower (std::runtime_error)
 *   11  thrown seven calls deep, through frames with destructors to run (Deep)
 *    7  thrown inside a catch block, out of it (int)
 *
 * Counted apart, since they begin no new exception: 5 rethrows by `throw;`, and 3 by std::rethrow_exception. Only 37
 * calls of __cxa_throw are made.
 */
#include <cstdio>
#include <exception>
#include <stdexcept>

namespace
{

struct Deep {
	int depth;
};

/* Gives the unwinder something to do in each frame that it crosses. */
struct Cleanup {
	int *count;
	~Cleanup()
	{
		++*count;
	}
};

int cleanups;
volatile int never_zero = 1;

__attribute__((noinline)) void throw_plain(int number)
{
	if (never_zero)
		throw std::runtime_error(number % 2 ? "odd" : "even");
}

__attribute__((noinline)) int throw_deep(int depth)
{
	Cleanup cleanup{&cleanups};
	if (depth == 0)
		throw Deep{7};
	return throw_deep(depth - 1) + depth;
}

__attribute__((noinline)) void throw_from_catch(int number)
{
	try {
		throw_plain(number);
	} catch (const std::runtime_error &) {
		throw number;
	}
}

} // namespace

int main()
{
	enum { PLAIN = 19, DEEP = 11, FROM_CATCH = 7, RETHROWS = 5, RETHROWN_POINTERS = 3 };
	int runtime_errors = 0, deeps = 0, ints = 0, rethrows = 0, pointers = 0;
	std::exception_ptr kept;

	/* 7 of the 19 are the ones whose catch block throws on. */
	for (int i = 0; i < PLAIN - FROM_CATCH; i++) {
		try {
			if (i < RETHROWS) {
				try {
					throw_plain(i);
				} catch (const std::runtime_error &) {
					++rethrows;
					throw;
				}
			}
			throw_plain(i);
		} catch (const std::runtime_error &) {
			++runtime_errors;
			kept = std::current_exception();
		}
	}
	for (int i = 0; i < DEEP; i++) {
		try {
			throw_deep(6);
		} catch (const Deep &) {
			++deeps;
		}
	}
	for (int i = 0; i < FROM_CATCH; i++) {
		try {
			throw_from_catch(i);
		} catch (int) {
			++ints;
			++runtime_errors;
		}
	}
	for (int i = 0; i < RETHROWN_POINTERS; i++) {
		try {
			std::rethrow_exception(kept);
		} catch (const std::runtime_error &) {
			++pointers;
		}
	}

	if (runtime_errors != PLAIN || deeps != DEEP || ints != FROM_CATCH || rethrows != RETHROWS ||
	    cleanups != DEEP * 7) {
		std::fprintf(stderr, "known_throws: its own counts are wrong\n");
		return 1;
	}
	std::printf("{\"throws\": %d, \"by_type\": {\"std::runtime_error\": %d, \"Deep\": %d, \"int\": %d}, "
		    "\"rethrows\": %d, "
		    "\"rethrown_pointers\": %d, \"destructors_run\": %d}\n",
		    runtime_errors + deeps + ints, runtime_errors, deeps, ints, rethrows, pointers, cleanups);
	return 0;
}
