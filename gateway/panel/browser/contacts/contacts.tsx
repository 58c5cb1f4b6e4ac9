/** Screen "Contatos": search, tags, opt-in, conversations. */

import { useEffect, useState } from 'preact/hooks';
import type { Contact } from '../../../../shared/api/contact.ts';
import { query } from '../base/call.ts';
import { Isolated } from '../base/isolated.tsx';
import { Alert, Avatar, Empty, Form, Link } from '../base/parts.tsx';
import { go, idIn, place } from '../base/router.ts';
import { useReadBy } from '../base/use-read.ts';
import { type Page, readPages } from '../conversations/state/api.ts';
import { phoneOf } from '../format.ts';
import { TEXT } from '../sentences.ts';
import { ContactDetail } from './contact-detail.tsx';

const { contacts } = TEXT;
const LIMIT = 50;

export function Contacts() {
  const { path, search } = place.value;
  const wanted = new URLSearchParams(search).get('query') ?? '';
  const [more, setMore] = useState({ wanted, pages: 1 });
  const pages = more.wanted === wanted ? more.pages : 1;
  const read = useReadBy<Page<Contact>>(`${wanted} ${pages}`, { kinds: ['contact'] }, () =>
    readPages<Contact>(
      (page) => `/api/v1/contacts${query({ query: wanted, page, limit: LIMIT })}`,
      pages,
    ),
  );
  const chosenId = idIn(path);
  return (
    <div class="screen">
      <header class="screen-head">
        <h1>{contacts.title}</h1>
        {read.body ? <span class="soft">{contacts.count(read.body.total)}</span> : null}
      </header>
      <div class={chosenId === '' ? 'two' : 'two reading'}>
        <div>
          <SearchForm wanted={wanted} path={path} />
          <Alert refused={read.refused} onAgain={read.again} />
          <ContactLines
            read={read.body}
            wanted={wanted}
            chosenId={chosenId}
            onMore={() => setMore({ wanted, pages: pages + 1 })}
          />
        </div>
        {chosenId === '' ? (
          <Empty title={contacts.chooseTitle} text={contacts.chooseText} />
        ) : (
          <div>
            <Link to={`/contatos${query({ query: wanted })}`} class="button small back">
              {TEXT.back}
            </Link>
            <ContactDetail key={chosenId} id={chosenId} />
          </div>
        )}
      </div>
    </div>
  );
}

function SearchForm({ wanted, path }: { readonly wanted: string; readonly path: string }) {
  const [text, setText] = useState(wanted);
  useEffect(() => setText(wanted), [wanted]);
  return (
    <search>
      <Form
        class="search"
        onSubmit={() => void go(path + query({ query: text.trim() }), 'replace')}
      >
        <input
          class="input"
          type="search"
          aria-label={TEXT.search}
          placeholder={contacts.searchHint}
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
        <button type="submit" class="button">
          {TEXT.search}
        </button>
      </Form>
    </search>
  );
}

interface ContactLinesProps {
  readonly read: Page<Contact> | null;
  readonly wanted: string;
  readonly chosenId: string;
  readonly onMore: () => void;
}

function ContactLines({ read, wanted, chosenId, onMore }: ContactLinesProps) {
  if (read === null) return <p class="empty">{TEXT.loading}</p>;
  if (read.data.length === 0) {
    return wanted === '' ? (
      <Empty title={contacts.emptyTitle} text={contacts.emptyText} />
    ) : (
      <Empty title={contacts.nothingFound} />
    );
  }
  return (
    <>
      <ul class="lines choice-lines" aria-label={contacts.title}>
        {read.data.map(({ id, name, phone, tags }) => (
          <li key={id}>
            <Link
              to={`/contatos/${id}${query({ query: wanted })}`}
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
