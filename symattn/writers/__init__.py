"""Writers: one format a file. They ask steps for text and never look at numbers."""
