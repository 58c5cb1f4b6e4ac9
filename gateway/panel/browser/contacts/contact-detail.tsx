/** One contact: name, tags, opt-in with its history, and conversations. */

import { useEffect, useState } from 'preact/hooks';
import type { Contact } from '../../../../shared/api/contact.ts';
import type { ContactSource } from '../../../../shared/vocabulary.ts';
import { call, query, type Refused } from '../base/call.ts';
import { Isolated } from '../base/isolated.tsx';
import { Alert, Field, Form, Link } from '../base/parts.tsx';
import { useRead } from '../base/use-read.ts';
import { ContactFacts } from '../conversations/contact-pane.tsx';
import type { Data, Page, PanelConversation } from '../conversations/state/api.ts';
import { fullTimeOf, phoneOf } from '../format.ts';
import { changed } from '../live.ts';
import { TEXT } from '../sentences.ts';
import { mayWrite } from '../session.ts';

const { contacts } = TEXT;
const NAME_MAX_CHARS = 120;
const TAG_MAX_CHARS = 40;

interface PanelContact extends Contact {
  readonly optInHistory?: readonly {
    readonly at: string;
    readonly optIn: boolean;
    readonly source: ContactSource;
  }[];
}

export function ContactDetail({ id }: { readonly id: string }) {
  const path = `/panel/api/contacts/${encodeURIComponent(id)}`;
  const read = useRead<Data<PanelContact>>(path, { kinds: ['contact'], id });
  const contact = read.body?.data;
  if (!contact) {
    return read.refused ? (
      <Alert refused={read.refused} onAgain={read.again} />
    ) : (
      <p class="empty">{TEXT.loading}</p>
    );
  }
  return (
    <div class="panel-card">
      <section>
        <h2>
          <Isolated text={contact.name ?? TEXT.contact.nameless} />
        </h2>
        <p>{phoneOf(contact.phone)}</p>
        {mayWrite() ? <ContactForm contact={contact} /> : null}
      </section>
      <ContactFacts contact={contact} />
      <History contact={contact} />
      <ContactConversations contactId={id} />
    </div>
  );
}

/** A name that is typed over the known one, and a further tag. */
function useContactChange(contact: PanelContact) {
  const known = contact.name ?? '';
  /** Null: as it is known, whoever changes it. */
  const [typed, setTyped] = useState<string | null>(null);
  const [tag, setTag] = useState('');
  const [saved, setSaved] = useState(false);
  const [refused, setRefused] = useState<Refused | null>(null);
  useEffect(() => setTyped((before) => (before === known ? null : before)), [known]);
  const typing = (set: (value: string) => void) => (value: string) => {
    set(value);
    setSaved(false);
  };
  const save = async () => {
    const body = {
      phone: contact.phone,
      ...(typed === null || typed === known ? {} : { name: typed }),
      ...(tag.trim() === '' ? {} : { tags: [tag.trim()] }),
    };
    const outcome = await call<Data<Contact>>('POST', '/api/v1/contacts', { body });
    setRefused(outcome.ok ? null : outcome.refused);
    setSaved(outcome.ok);
    if (!outcome.ok) return;
    const { data } = outcome.body;
    // Until the page has read it.
    const left = data.name === known ? null : data.name;
    setTyped((current) => (current === typed ? left : current));
    setTag('');
    changed('contact', contact.id);
  };
  return {
    ...{ name: typed ?? known, tag, saved, refused, save },
    setName: typing(setTyped),
    setTag: typing(setTag),
  };
}

function ContactForm({ contact }: { readonly contact: PanelContact }) {
  const { name, tag, saved, refused, save, setName, setTag } = useContactChange(contact);
  return (
    <Form onSubmit={() => void save()}>
      <div class="pair">
        <Field label={contacts.name} value={name} onValue={setName} maxLength={NAME_MAX_CHARS} />
        <Field label={contacts.addTag} value={tag} onValue={setTag} maxLength={TAG_MAX_CHARS} />
      </div>
      <Alert refused={refused} />
      <p role="status" class={saved ? 'notice' : 'spoken'}>
        {saved ? contacts.saved : ''}
      </p>
      <div class="row">
        <button type="submit" class="button">
          {TEXT.save}
        </button>
      </div>
    </Form>
  );
}

function History({ contact: { optInHistory = [] } }: { readonly contact: PanelContact }) {
  return (
    <section>
      <h3>{contacts.history}</h3>
      {optInHistory.length === 0 ? <p class="soft">{contacts.noHistory}</p> : null}
      <ol>
        {optInHistory.map(({ at, optIn, source }) => (
          <li key={at}>
            <time dateTime={at}>{fullTimeOf(at)}</time>:{' '}
            {optIn ? contacts.historyIn : contacts.historyOut}{' '}
            <span class="soft">({contacts.sources[source]})</span>
          </li>
        ))}
      </ol>
    </section>
  );
}

function ContactConversations({ contactId }: { readonly contactId: string }) {
  const path = `/api/v1/conversations${query({ contactId, limit: 20 })}`;
  const { body } = useRead<Page<PanelConversation>>(path, { kinds: ['conversation'] });
  const rows = body?.data ?? [];
  return (
    <section>
      <h3>{contacts.conversations}</h3>
      {body && rows.length === 0 ? <p class="soft">{contacts.noConversations}</p> : null}
      <ul>
        {rows.map(({ id, channel, lastMessagePreview }) => (
          <li key={id}>
            <Link to={`/conversas/${id}`}>
              <Isolated text={channel.label} />
            </Link>{' '}
            <span class="soft">
              <Isolated text={lastMessagePreview ?? ''} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
