/** Screen "Contatos": search, tags, opt-in, conversations. */

import { useState } from 'preact/hooks';
import type { Contact } from '../../../../shared/api/contact.ts';
import { query } from '../base/call.ts';
import { Isolated } from '../base/isolated.tsx';
import { Alert, Avatar, Empty, Link, Missing } from '../base/parts.tsx';
import { go, idIn, place } from '../base/router.ts';
import { useLater } from '../base/use-later.ts';
import { useReadBy } from '../base/use-read.ts';
import { type Page, readPages } from '../conversations/state/api.ts';
import { phoneOf } from '../format.ts';
import { TEXT } from '../sentences.ts';
import { mayWrite } from '../session.ts';
import { ContactDetail } from './contact-detail.tsx';
import { type ContactFilters, Filters, filtersIn, isFiltered, NO_FILTERS } from './filters.tsx';

const { contacts } = TEXT;
const LIMIT = 50;

export function Contacts() {
  const { path, search } = place.value;
  const filters = filtersIn(search);
  const wanted = query({ ...filters });
  const [more, setMore] = useState({ wanted, pages: 1 });
  const pages = more.wanted === wanted ? more.pages : 1;
  const read = useReadBy<Page<Contact>>(`${wanted} ${pages}`, { kinds: ['contact'] }, () =>
    readPages<Contact>(
      (page) => `/panel/api/contacts${query({ ...filters, page, limit: LIMIT })}`,
      pages,
    ),
  );
  const chosenId = idIn(path);
  return (
    <div class="screen">
      <header class="screen-head">
        <h1>{contacts.title}</h1>
        {read.body ? <span class="soft grow">{contacts.count(read.body.total)}</span> : null}
        {mayWrite() ? <NewContact /> : null}
      </header>
      <div class={chosenId === '' ? 'two' : 'two reading'}>
        <div>
          <Filters filters={filters} path={path} />
          <Alert refused={read.refused} onAgain={read.again} />
          <ContactLines
            read={read.body}
            filters={filters}
            chosenId={chosenId}
            onMore={() => setMore({ wanted, pages: pages + 1 })}
          />
        </div>
        {chosenId === '' ? (
          <Empty title={contacts.chooseTitle} text={contacts.chooseText} />
        ) : (
          <div>
            <Link to={`/contatos${wanted}`} class="button small back">
              {TEXT.back}
            </Link>
            <ContactDetail key={chosenId} id={chosenId} />
          </div>
        )}
      </div>
    </div>
  );
}

/** The new one is shown once it is made. */
function NewContact() {
  const form = useLater(async () => (await import('../people/contact-dialog.tsx')).ContactDialog);
  return (
    <>
      <button type="button" class="button main" onClick={form.open}>
        {TEXT.people.create}
      </button>
      <Missing failed={form.failed} />
      {form.Part ? (
        <form.Part
          contact={null}
          onClose={form.close}
          onSaved={({ id }) => go(`/contatos/${id}`)}
        />
      ) : null}
    </>
  );
}

interface ContactLinesProps {
  readonly read: Page<Contact> | null;
  readonly filters: ContactFilters;
  readonly chosenId: string;
  readonly onMore: () => void;
}

function ContactLines({ read, filters, chosenId, onMore }: ContactLinesProps) {
  if (read === null) return <p class="empty">{TEXT.loading}</p>;
  if (read.data.length === 0) {
    return isFiltered(filters) ? (
      <Empty title={contacts.nothingFound}>
        <button
          type="button"
          class="button"
          onClick={() => go(place.value.path + query({ ...NO_FILTERS }), 'replace')}
        >
          {contacts.clear}
        </button>
      </Empty>
    ) : (
      <Empty title={contacts.emptyTitle} text={contacts.emptyText} />
    );
  }
  return (
    <>
      <ul class="lines choice-lines" aria-label={contacts.title}>
        {read.data.map(({ id, name, phone, tags }) => (
          <li key={id}>
            <Link
              to={`/contatos/${id}${query({ ...filters })}`}
              class="grow"
              current={id === chosenId}
            >
              <Avatar name={name ?? phone} />
              <span class="grow">
                <span class="conversation-name line cut">
                  <Isolated text={name ?? TEXT.contact.nameless} />
                </span>
                <span class="soft small line">{phoneOf(phone)}</span>
              </span>
              {tags.slice(0, 2).map((tag) => (
                <span key={tag} class="tag">
                  {tag}
                </span>
              ))}
            </Link>
          </li>
        ))}
      </ul>
      {read.data.length < read.total ? (
        <button type="button" class="button" onClick={onMore}>
          {TEXT.more}
        </button>
      ) : null}
    </>
  );
}
