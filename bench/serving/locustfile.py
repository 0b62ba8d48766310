"""Load on `querent serve`, measured by locust: questions, follow-ups and the schema, as people at the page send them.

    pip install locust
    querent serve shop --port 8800 --workers 2
    locust -f bench/serving/locustfile.py --headless -u 8 -r 2 -t 60s -H http://127.0.0.1:8800 --csv load

It is for this machine alone. An answer of 429 is one that came while the line was full, and is listed as a failure.
"""

import random
from typing import Any

from locust import HttpUser, between, task

QUESTIONS = (
    "how many orders are there?",
    "which customers live in Oslo?",
    "what is the average price of products by category?",
    "how many customers ordered something in 2023?",
    "客户有哪些?",
)
FOLLOW_UPS = ("only those of 2023", "by city", "how many are they?")


class Person(HttpUser):
    """Somebody who opens the page, asks, thinks for a second or three, and asks on."""

    wait_time = between(1, 3)

    def on_start(self) -> None:
        """Open the page."""
        self.conversation: Any = None
        for path in ("/", "/about", "/schema?database=shop"):
            self.client.get(path)

    @task
    def ask(self) -> None:
        """Begin a conversation, or go on with it."""
        follows = self.conversation is not None and random.random() < 0.4
        question = random.choice(FOLLOW_UPS if follows else QUESTIONS)
        body = {"database": "shop", "question": question, "conversation": self.conversation if follows else None}
        with self.client.post(
            "/ask", json=body, name="follow-up" if follows else "ask", catch_response=True
        ) as response:
            if response.status_code == 200:
                self.conversation = response.json()["conversation"]
            else:
                response.failure(f"status {response.status_code}")
