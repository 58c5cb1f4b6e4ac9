/** Deals, tasks, contacts (I1, I5, I8): each a register that only legal changes move. */
import type { Asked } from '../history.ts';
import type { Checker, Evidence, StoredRecord } from './evidence.ts';

function done(history: readonly Asked[], operation: Asked['operation']): readonly Asked[] {
  return history.filter((asked) => asked.operation === operation && asked.outcome === 'done');
}

function idOf({ response }: Asked): string {
  return String(Object(response?.data).id);
}

export const createdIsThere: Checker = ({ history, deals, tasks }) => {
  const check = (operation: 'deal-create' | 'task-create', stored: readonly StoredRecord[]) => {
    const ids = new Set(stored.map(({ _id }) => _id));
    const titles = Map.groupBy(stored, ({ state }) => String(state.title));
    const calls = history.filter((asked) => asked.operation === operation);
    return calls.flatMap((asked) => {
      const what = `${operation} ${String(asked.request.title)} (${asked.status})`;
      const found = titles.get(String(asked.request.title)) ?? [];
      if (asked.outcome === 'done' && !ids.has(idOf(asked))) return [`${what} is not there`];
      if (asked.outcome === 'refused' && found.length > 0) return [`${what} is there all the same`];
      return found.length > 1 ? [`${what} is there ${found.length} times`] : [];
    });
  };
  return [...check('deal-create', deals), ...check('task-create', tasks)];
};

/** Calls that change a deal, with a key or without. */
function changesOf(history: readonly Asked[], id: string): readonly Asked[] {
  return history.filter(
    ({ operation, request }) => DEAL_CHANGES.has(operation) && request.path === `deals/${id}`,
  );
}

const DEAL_CHANGES: ReadonlySet<string> = new Set(['deal-change', 'deal-change-once']);

const EVENT_OF = { won: 'deal.won', lost: 'deal.lost', open: 'deal.reopened' } as const;

/** Events of each deal: as many as acknowledged transitions, and no more than may have happened. */
export const dealEventsMatchTransitions: Checker = ({ history, deals, deliveries }) => {
  const told = new Map<string, number>();
  for (const { body } of deliveries) {
    const { event, data } = JSON.parse(body);
    if (data.deal)
      told.set(`${event} ${data.deal.id}`, (told.get(`${event} ${data.deal.id}`) ?? 0) + 1);
  }
  return deals.flatMap(({ _id }) => {
    const changes = changesOf(history, _id);
    return (['won', 'lost', 'open'] as const).flatMap((status) => {
      const mine = changes.filter(({ request }) => request.status === status);
      const sure = mine.filter(({ outcome }) => outcome === 'done').length;
      const perhaps = mine.filter(({ outcome }) => outcome === 'unknown').length;
      const events = told.get(`${EVENT_OF[status]} ${_id}`) ?? 0;
      // Reopening an open deal is answered 200 and changes nothing.
      const least = status === 'open' ? 0 : sure;
      return events < least || events > sure + perhaps
        ? [
            `${EVENT_OF[status]} of ${_id} was told ${events} times for ${sure} and ${perhaps} calls`,
          ]
        : [];
    });
  });
};

/** The stored state of a deal is one that its acknowledged calls can have led to. */
export const dealsAreRegisters: Checker = ({ history, deals }) =>
  deals.flatMap(({ _id, state }) => {
    const changes = changesOf(history, _id);
    const closed = state.status !== 'open';
    const wrong: string[] = [];
    if (closed !== (state.closedAt !== null)) wrong.push(`${_id} is half closed`);
    if ((state.status === 'lost') !== (state.lostReason !== null))
      wrong.push(`${_id} is half lost`);
    const last = changes
      .filter(({ outcome, request }) => outcome === 'done' && request.status !== undefined)
      .at(-1);
    if (!last) return wrong;
    const rivals = changes.filter(
      (other) =>
        other !== last &&
        other.outcome !== 'refused' &&
        other.request.status !== undefined &&
        // It may have taken effect after the last one that was acknowledged.
        (other.outcome === 'unknown' || other.endedAt >= last.startedAt),
    );
    if (
      state.status !== last.request.status &&
      rivals.every(({ request }) => request.status !== state.status)
    ) {
      wrong.push(`${_id} is ${String(state.status)} after ${String(last.request.status)}`);
    }
    return wrong;
  });

/** Fields and tags are merged: all acknowledged ones are there, whatever other callers wrote. */
export const contactsKeepWhatWasMerged: Checker = ({ history, contacts }: Evidence) => {
  const byPhone = Map.groupBy(contacts, ({ phone }) => phone);
  const wrong: string[] = [];
  for (const [phone, all] of byPhone) {
    if (phone !== '' && all.length > 1) wrong.push(`${phone} has ${all.length} contacts`);
  }
  for (const asked of [...done(history, 'contact'), ...done(history, 'inbound-webhook')]) {
    const { phone, fields, tags } = asked.request;
    const contact = byPhone.get(String(phone))?.[0];
    for (const field of Object.keys(Object(fields))) {
      if (contact?.fields[field] !== 'sim') wrong.push(`${String(phone)} has lost field ${field}`);
    }
    for (const tag of Array.isArray(tags) ? tags : []) {
      if (!contact?.tags.includes(tag)) wrong.push(`${String(phone)} has lost tag ${String(tag)}`);
    }
  }
  const created = Map.groupBy(
    done(history, 'contact').filter(({ response }) => response?.created === true),
    ({ request }) => String(request.phone),
  );
  for (const [phone, all] of created) {
    if (all.length > 1) wrong.push(`${phone} was created ${all.length} times`);
  }
  return wrong;
};
