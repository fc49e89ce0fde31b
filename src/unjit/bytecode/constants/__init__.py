"""Constants of code, which may be objects of the program: compared and shown without asking them."""
