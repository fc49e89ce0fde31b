"""What texts are made of (`outline`), what they become (`text`, `html`, `markdown`), and places in words."""
