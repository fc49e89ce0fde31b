"""What stands after the tests is reached from one of them, and from before both."""


def f(tests, is_suite, setup, failed):
    for test in tests:
        if failed.stop:
            break
        if is_suite(test):
            setup(test)
            failed.previous = test
            if (getattr(test, "failed", False) or
                getattr(failed, "failed", False)):
                continue
        if not setup:
            test(failed)
        else:
            test.debug()
        if failed:
            setup(test)
    return failed
