/** Times, money and phones as people read them, in the organization's time zone. */
import { now } from './clock.ts';
import { TEXT } from './sentences.ts';
import { session } from './session.ts';

const LOCALE = 'pt-BR';
const DAY_MS = 24 * 60 * 60 * 1000;
const money = new Intl.NumberFormat(LOCALE, { style: 'currency', currency: 'BRL' });
const formats = new Map<string, Intl.DateTimeFormat>();

type Style = 'time' | 'clock' | 'day' | 'short' | 'date' | 'full' | 'iso';

const STYLES: Readonly<Record<Style, Intl.DateTimeFormatOptions>> = {
  time: { hour: '2-digit', minute: '2-digit' },
  clock: { hour: '2-digit', minute: '2-digit', second: '2-digit' },
  day: { weekday: 'long', day: 'numeric', month: 'long' },
  short: { day: '2-digit', month: '2-digit' },
  date: { day: '2-digit', month: '2-digit', year: 'numeric' },
  full: { day: '2-digit', month: '2-digit', year: 'numeric', hour: '2-digit', minute: '2-digit' },
  iso: { year: 'numeric', month: '2-digit', day: '2-digit' },
};

function formatOf(style: Style): Intl.DateTimeFormat {
  const timeZone = session.value?.organization?.timeZone;
  const name = `${style} ${timeZone}`;
  const known = formats.get(name);
  if (known) return known;
  const locale = style === 'iso' ? 'sv-SE' : LOCALE;
  const made = new Intl.DateTimeFormat(locale, {
    ...STYLES[style],
    ...(timeZone === undefined ? {} : { timeZone }),
  });
  formats.set(name, made);
  return made;
}

export function timeOf(at: string): string {
  return formatOf('time').format(new Date(at));
}

/** With seconds. */
export function clockOf(at: string): string {
  return formatOf('clock').format(new Date(at));
}

export function fullTimeOf(at: string): string {
  return formatOf('full').format(new Date(at));
}

function dayOf(at: string): string {
  return formatOf('day').format(new Date(at));
}

/** Of a heading: today and yesterday have names. */
export function namedDayOf(at: string): string {
  const { times } = TEXT;
  const day = isoDayOf(at);
  if (day === today()) return times.today;
  return day === isoDayOf(Date.parse(startOfDay(today())) - 1) ? times.yesterday : dayOf(at);
}

/** `YYYY-MM-DD` in the organization's time zone. */
export function isoDayOf(at: string | number): string {
  return formatOf('iso').format(new Date(at));
}

export function today(): string {
  return isoDayOf(now());
}

/** Day and month, and a year that is not this one. */
export function shortDayOf(at: string): string {
  const ofThisYear = isoDayOf(at).slice(0, 4) === today().slice(0, 4);
  return formatOf(ofThisYear ? 'short' : 'date').format(new Date(at));
}

/** The time of today, the day of another time. */
export function whenOf(at: string): string {
  return isoDayOf(at) === today() ? timeOf(at) : shortDayOf(at);
}

/** The same within a sentence. */
export function whenInSentence(at: string): string {
  const { times } = TEXT;
  return isoDayOf(at) === today() ? times.at(timeOf(at)) : times.on(shortDayOf(at));
}

interface Arrived {
  readonly createdAt: string;
  readonly receivedAt?: string | undefined;
}

/** By which the history has a message. */
export function placeTimeOf(message: { createdAt: string; releasedAt?: string | undefined }) {
  return message.releasedAt ?? message.createdAt;
}

/** When a late message came, within a sentence; null where it shows the time at which it came. */
export function arrivalOf({ createdAt, receivedAt }: Arrived): string | null {
  if (receivedAt === undefined || fullTimeOf(createdAt) === fullTimeOf(receivedAt)) return null;
  const { times } = TEXT;
  const time = times.at(timeOf(receivedAt));
  const isOtherDay = isoDayOf(createdAt) !== isoDayOf(receivedAt);
  return isOtherDay ? `${times.on(shortDayOf(receivedAt))} ${time}` : time;
}

/** When a day `YYYY-MM-DD` begins in the organization's time zone. */
export function startOfDay(day: string): string {
  return momentOf(day, '00:00');
}

/** A day `YYYY-MM-DD` and a time `HH:MM` of the organization's clock, as ISO 8601 in UTC. */
export function momentOf(day: string, time: string): string {
  const local = Date.parse(`${day}T${time}:00Z`);
  // The second look is beyond a change of the clocks; a time that it skips has two, and moves on.
  const near = local - offsetAt(local);
  const at = local - offsetAt(near);
  return new Date(Math.max(at, local - offsetAt(at))).toISOString();
}

/** The last millisecond of a day `YYYY-MM-DD`. */
export function endOfDay(day: string): string {
  const next = new Date(Date.parse(`${day}T00:00:00Z`) + DAY_MS).toISOString().slice(0, 10);
  return new Date(Date.parse(startOfDay(next)) - 1).toISOString();
}

/** Of the organization's clock to UTC, in milliseconds. */
function offsetAt(at: number): number {
  const local = `${isoDayOf(at)}T${clockOf(new Date(at).toISOString())}Z`;
  return Date.parse(local) - at;
}

/** Of `YYYY-MM-DD`, which has no time zone. */
export function calendarDayOf(day: string): string {
  const [year, month, date] = day.split('-');
  return `${date}/${month}/${year}`;
}

export function moneyOf(cents: number): string {
  return money.format(cents / 100);
}

/** As a person writes reais into a field. */
export function amountOf(cents: number): string {
  const style = { minimumFractionDigits: 2, maximumFractionDigits: 2 };
  return (cents / 100).toLocaleString(LOCALE, style);
}

/** @param currency its three letters */
export function moneyIn(currency: string, cents: number): string {
  return new Intl.NumberFormat(LOCALE, { style: 'currency', currency }).format(cents / 100);
}

/** A dot stands before three digits only: elsewhere it may mean a decimal comma. */
const AMOUNT = /^(\d{1,3}(\.\d{3})+|\d+)(,\d{1,2})?$/;

/** Cents of what a person wrote as reais, such as `1.250,00`; null if it is no amount. */
export function centsOf(text: string): number | null {
  const plain = text.replace(/R\$|\s/g, '');
  if (plain === '') return 0;
  if (!AMOUNT.test(plain)) return null;
  return Math.round(Number(plain.replaceAll('.', '').replace(',', '.')) * 100);
}

export function phoneOf(phone: string): string {
  const parts = /^55(\d{2})(\d{4,5})(\d{4})$/.exec(phone);
  return parts ? `+55 ${parts[1]} ${parts[2]}-${parts[3]}` : phone === '' ? '' : `+${phone}`;
}

/** Hours and minutes that are left. */
export function leftOf(ms: number): string {
  const minutes = Math.max(0, Math.floor(ms / 60_000));
  const hours = Math.floor(minutes / 60);
  return hours === 0 ? `${minutes} min` : `${hours} h ${minutes % 60} min`;
}

export function sizeOf(bytes: number): string {
  return bytes < 1024 * 1024
    ? `${Math.ceil(bytes / 1024)} KB`
    : `${(bytes / 1024 / 1024).toFixed(1).replace('.', ',')} MB`;
}
