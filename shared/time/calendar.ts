/**
 * Days and times of day in an organization's time zone (D27, D28).
 *
 * 1. A local time that a clock change skips moves forward by the skipped time; one that occurs
 *    twice is the first.
 * 2. A whole day is due at its last instant, and is reminded of at 09:00.
 */
import { Temporal } from 'temporal-polyfill';

const DAY = /^\d{4}-\d{2}-\d{2}$/;
/** `HH:MM`, 00:00 to 23:59. */
export const TIME_OF_DAY = /^(?:[01]\d|2[0-3]):[0-5]\d$/;
const LAST_TIME = '23:59:59.999';
const REMINDED_AT = '09:00';

/** Whether the text is `YYYY-MM-DD` and that day exists. */
export function isCalendarDay(text: string): boolean {
  if (!DAY.test(text)) return false;
  const [year = 0, month = 0, day = 0] = text.split('-').map(Number);
  if (month < 1 || month > 12 || day < 1) return false;
  return day <= Temporal.PlainYearMonth.from({ year, month }).daysInMonth;
}

/**
 * Whether every instant of a day has a timestamp with a four-digit year (C2.1, D116), in any zone.
 * The excluded last day ends in the year 10000 in some zones.
 */
export function hasTimestamps(day: string): boolean {
  return day > '0000-01-01' && day < '9999-12-31';
}

/** A requested deadline: a day, and a time unless it is the whole day. */
export interface LocalDue {
  /** `YYYY-MM-DD`. */
  readonly on: string;
  /** `HH:MM`; null is the whole day. */
  readonly time: string | null;
}

/** When a task is due. @param timeZone IANA name @returns epoch milliseconds */
export function dueAt(due: LocalDue, timeZone: string): number {
  return due.time === null
    ? lastInstantOf(due.on, timeZone)
    : instantOf(due.on, due.time, timeZone);
}

/** When its assignee is reminded: at the due time, or in the morning of the day. */
export function remindAt(due: LocalDue, timeZone: string): number {
  return instantOf(due.on, due.time ?? REMINDED_AT, timeZone);
}

/** When the day of a moment ends in the zone. @param at epoch milliseconds, as the answer */
export function endOfDay(at: number, timeZone: string): number {
  const local = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(timeZone);
  return startOfNextDay(local.toPlainDate(), timeZone);
}

/**
 * Where the clocks go back at midnight, 23:59:59.999 comes twice: the hour until the second one
 * still belongs to the day. Where they skip it, the day ends earlier.
 */
function lastInstantOf(day: string, timeZone: string): number {
  const date = Temporal.PlainDate.from(day);
  const last = date
    .toPlainDateTime(LAST_TIME)
    .toZonedDateTime(timeZone, { disambiguation: 'later' });
  const exists = last.toPlainDate().equals(date);
  return exists ? last.epochMilliseconds : startOfNextDay(date, timeZone) - 1;
}

/** The first instant of the next day: it has no midnight where the clocks skip it. */
function startOfNextDay(date: Temporal.PlainDate, timeZone: string): number {
  return date.add({ days: 1 }).toZonedDateTime(timeZone).epochMilliseconds;
}

function instantOf(day: string, time: string, timeZone: string): number {
  const local = Temporal.PlainDateTime.from(`${day}T${time}`);
  return local.toZonedDateTime(timeZone, { disambiguation: 'compatible' }).epochMilliseconds;
}
