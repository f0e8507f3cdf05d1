"""What somebody printed: judged against the exact values, with a cause where one is found."""
