"""The words that a schedule starts with. One file per kind of schedule; a new word is a line in
this table."""

from core.rules.timing.schedule import ScheduleWord
from core.rules.timing.words.at import AT, At
from core.rules.timing.words.cron import CRON, Cron
from core.rules.timing.words.daily import DAILY, ON_WEEKDAYS, ON_WEEKENDS, WEEKLY, Daily
from core.rules.timing.words.every import EVERY, Every
from core.rules.timing.words.hourly import HOURLY, Hourly
from core.rules.timing.words.monthly import MONTHLY, Monthly
from core.rules.timing.words.startup import STARTUP, Startup
from core.rules.timing.words.yearly import YEARLY, Yearly

__all__ = ["WORDS", "At", "Cron", "Daily", "Every", "Hourly", "Monthly", "Startup", "Yearly"]

# In the order in which a person is shown them.
WORDS: dict[str, ScheduleWord] = {
    word.name: word
    for word in (
        EVERY,
        HOURLY,
        DAILY,
        ON_WEEKDAYS,
        ON_WEEKENDS,
        WEEKLY,
        MONTHLY,
        YEARLY,
        CRON,
        AT,
        STARTUP,
    )
}
