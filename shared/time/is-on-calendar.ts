/** Whether an ISO 8601 moment is one: a date of February 30 is read as one of March. */
export function isOnCalendar(moment: string): boolean {
  const [year = 0, month = 0, day = 0] = moment.slice(0, 10).split('-').map(Number);
  return (
    day <= new Date(Date.UTC(year, month, 0)).getUTCDate() && !Number.isNaN(Date.parse(moment))
  );
}
