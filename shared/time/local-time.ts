/** Hours and weekdays in an organization's time zone, as flows ask for them. */
import { Temporal } from 'temporal-polyfill';

const TIME = /^(?:[01]\d|2[0-3]):[0-5]\d$/;

/** Whether the text is `HH:MM`, 00:00 to 23:59. */
export function isLocalTime(text: string): boolean {
  return TIME.test(text);
}

/** In the order of ISO 8601: Monday is the first. */
export const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
export type Weekday = (typeof WEEKDAYS)[number];

export interface LocalMoment {
  readonly weekday: Weekday;
  /** `HH:MM`, comparable as text. */
  readonly time: string;
  /** `YYYY-MM-DD`. */
  readonly day: string;
}

/** @param at epoch milliseconds @param timeZone IANA name */
export function localMoment(at: number, timeZone: string): LocalMoment {
  const local = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(timeZone);
  return {
    weekday: WEEKDAYS[local.dayOfWeek - 1] ?? 'mon',
    time: local.toPlainTime().toString().slice(0, 5),
    day: local.toPlainDate().toString(),
  };
}

export interface LocalTime {
  /** `HH:MM`. */
  readonly time: string;
  /** Any day where it is left out. */
  readonly weekdays?: readonly Weekday[] | undefined;
}

const DAYS_SEARCHED = 8;

/** The first moment after `after` at which the clocks of the zone show that time. */
export function nextLocalTime(wanted: LocalTime, after: number, timeZone: string): number {
  const start = Temporal.Instant.fromEpochMilliseconds(after)
    .toZonedDateTimeISO(timeZone)
    .toPlainDate();
  for (let days = 0; days <= DAYS_SEARCHED; days++) {
    const date = start.add({ days });
    const weekday = WEEKDAYS[date.dayOfWeek - 1] ?? 'mon';
    if (wanted.weekdays && !wanted.weekdays.includes(weekday)) continue;
    // A time that a clock change skips moves forward; one that occurs twice is the first.
    const local = date.toPlainDateTime(Temporal.PlainTime.from(wanted.time));
    const at = local.toZonedDateTime(timeZone, { disambiguation: 'compatible' }).epochMilliseconds;
    if (at > after) return at;
  }
  return after;
}

/** `days` after the day of `at`, as `YYYY-MM-DD`. */
export function dayAfter(at: number, days: number, timeZone: string): string {
  return Temporal.Instant.fromEpochMilliseconds(at)
    .toZonedDateTimeISO(timeZone)
    .toPlainDate()
    .add({ days })
    .toString();
}
