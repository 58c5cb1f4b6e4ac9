/** Times, money and phones as people read them, in the organization's time zone. */
import { now } from './clock.ts';
import { session } from './session.ts';

const LOCALE = 'pt-BR';
const DAY_MS = 24 * 60 * 60 * 1000;
const money = new Intl.NumberFormat(LOCALE, { style: 'currency', currency: 'BRL' });
const formats = new Map<string, Intl.DateTimeFormat>();

type Style = 'time' | 'clock' | 'day' | 'short' | 'full' | 'iso';

const STYLES: Readonly<Record<Style, Intl.DateTimeFormatOptions>> = {
  time: { hour: '2-digit', minute: '2-digit' },
  clock: { hour: '2-digit', minute: '2-digit', second: '2-digit' },
  day: { weekday: 'long', day: 'numeric', month: 'long' },
  short: { day: '2-digit', month: '2-digit' },
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

export function dayOf(at: string): string {
  return formatOf('day').format(new Date(at));
}

/** `YYYY-MM-DD` in the organization's time zone. */
export function isoDayOf(at: string | number): string {
  return formatOf('iso').format(new Date(at));
}

export function today(): string {
  return isoDayOf(now());
}

/** The time of today, the day of an earlier time. */
export function whenOf(at: string): string {
  return isoDayOf(at) === today() ? timeOf(at) : formatOf('short').format(new Date(at));
}

/** Of `YYYY-MM-DD`, which has no time zone. */
export function calendarDayOf(day: string): string {
  const [year, month, date] = day.split('-');
  return `${date}/${month}/${year}`;
}

export function moneyOf(cents: number): string {
  return money.format(cents / 100);
}

/** Cents of what a person wrote as reais, such as `1.250,00`; null if it is no amount. */
export function centsOf(text: string): number | null {
  const plain = text.replace(/[R$\s.]/g, '').replace(',', '.');
  if (plain === '') return 0;
  return /^\d+(\.\d{1,2})?$/.test(plain) ? Math.round(Number(plain) * 100) : null;
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

export const WINDOW_MS = DAY_MS;
