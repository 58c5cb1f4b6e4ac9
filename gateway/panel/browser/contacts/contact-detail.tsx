/** One contact: name, tags, opt-in with its history, and conversations. */

import type { Contact } from '../../../../shared/api/contact.ts';
import type { ContactSource } from '../../../../shared/vocabulary.ts';
import { query } from '../base/call.ts';
import { Isolated } from '../base/isolated.tsx';
import { Alert, Link } from '../base/parts.tsx';
import { useRead } from '../base/use-read.ts';
import { ContactFacts, PhoneLink } from '../conversations/contact-pane.tsx';
import { NewConversation } from '../conversations/new-conversation.tsx';
import { previewOf } from '../conversations/preview.ts';
import type { Data, Page, PanelConversation } from '../conversations/state/api.ts';
import { fullTimeOf } from '../format.ts';
import { EditContact } from '../people/edit-contact.tsx';
import { TEXT } from '../sentences.ts';
import { mayWrite } from '../session.ts';

const { contacts } = TEXT;

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
        <PhoneLink phone={contact.phone} />
        {mayWrite() ? (
          <EditContact contact={contact}>
            <NewConversation contact={contact} />
          </EditContact>
        ) : null}
      </section>
      <ContactFacts contact={contact} />
      <History contact={contact} />
      <ContactConversations contactId={id} />
    </div>
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
              <Isolated text={previewOf(lastMessagePreview)} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
