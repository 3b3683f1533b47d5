"""What a tool's output still shows of what was planted, and what useful it lost."""
