/**
 * Names of what the rows of the audit log have changed. Each is read once, one after another: the
 * log is shown without them, and gains them.
 */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { AuditRow, AuditSubject } from '../../../../shared/wire/audit.ts';
import { call } from '../base/call.ts';
import type { Data } from '../conversations/state/api.ts';
import { phoneOf } from '../format.ts';

/** What names an entity, of whichever kind. */
interface Named {
  readonly name?: string | null;
  readonly title?: string;
  readonly label?: string;
  readonly url?: string;
  readonly phone?: string;
  readonly contact?: Named | null;
}

/** By the kind of the subject: where one is read, and the page that shows it. */
const ONE: Readonly<Record<string, string>> = {
  conversation: '/api/v1/conversations',
  contact: '/api/v1/contacts',
  deal: '/api/v1/deals',
  task: '/api/v1/tasks',
};
const LISTS: Readonly<Record<string, string>> = {
  member: '/panel/api/members',
  key: '/panel/api/keys',
  subscription: '/panel/api/subscriptions',
  flow: '/api/v1/flows',
  channel: '/api/v1/channels',
  pipeline: '/api/v1/pipelines',
};

interface Listed extends Named {
  readonly id: string;
}

function nameIn({ name, title, label, contact, phone, url }: Named): string {
  return (
    title ?? name ?? label ?? (contact ? nameIn(contact) : phone ? phoneOf(phone) : (url ?? ''))
  );
}

type Names = ReadonlyMap<string, string>;

/** Of one entity, or of every one in its list. */
async function readNames({ kind, id }: AuditSubject): Promise<Names> {
  const path = ONE[kind];
  const list = LISTS[kind];
  if (path) {
    const outcome = await call<Data<Named>>('GET', `${path}/${encodeURIComponent(id)}`);
    return new Map(outcome.ok ? [[id, nameIn(outcome.body.data)]] : []);
  }
  if (list === undefined) return new Map();
  const outcome = await call<Data<readonly Listed[]>>('GET', list);
  return new Map(outcome.ok ? outcome.body.data.map((each) => [each.id, nameIn(each)]) : []);
}

/** By id; empty for one that has no name, or is not there any more. */
export function useChangedNames(rows: readonly AuditRow[]): Names {
  const [names, setNames] = useState<Names>(new Map());
  const asked = useRef(new Set<string>());
  const ids = rows.map(({ subject }) => subject.id).join();
  useEffect(() => {
    let ended = false;
    const readAll = async () => {
      for (const { subject } of rows) {
        const list = LISTS[subject.kind];
        const key = list ?? subject.id;
        if (ended || asked.current.has(key)) continue;
        asked.current.add(key);
        const found = await readNames(subject);
        if (!ended) setNames((before) => new Map([...before, ...found]));
      }
    };
    void readAll();
    return () => {
      ended = true;
    };
  }, [ids]);
  return names;
}
