"""What the compiler makes of one thing in several instructions, found before these are lifted one by one."""
