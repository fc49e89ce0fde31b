"""Guards as Dynamo's C++ keeps them: read, copied, timed and built anew."""
