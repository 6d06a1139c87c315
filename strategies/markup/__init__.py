"""What HTML and Markdown sources are made of, by place."""
