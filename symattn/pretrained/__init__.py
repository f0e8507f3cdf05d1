"""Models as others trained them: their configurations, weights and forward passes."""
