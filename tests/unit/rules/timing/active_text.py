"""Active hours as text, to be read back."""

from core.model.schedule import ALL_DAYS, DAY_NAMES, WEEKDAYS, WEEKENDS, ActiveHours


def active_text(active: ActiveHours) -> str:
    """The one way to write it; it reads back as the same hours."""
    whole_day = active.start == active.end
    hours = f"{active.start:%H:%M}-" + ("24:00" if whole_day else f"{active.end:%H:%M}")
    names = {ALL_DAYS: "", WEEKDAYS: " mon-fri", WEEKENDS: " sat-sun"}
    days = names.get(active.days)

    return hours + (
        " " + ",".join(DAY_NAMES[day] for day in sorted(active.days)) if days is None else days
    )
