"""What source code is made of: the door to parsers, their grammars, and units of code."""
