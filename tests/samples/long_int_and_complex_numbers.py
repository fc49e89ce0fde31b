# compiles to the same code
whole = 0x123456789abcdef123456789abcdef123456789abcdef123456789abcdef123456789abcdef123456789abcdef123456789abcdef123456789abcdef
longer = 1 << 20000
sums = 1 - 2j, -1j, 2 + 3j, 1.5 + 2j
