/** Screen "Conversas": the list, one thread, and its contact. */
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Channel } from '../../../../shared/api/channel.ts';
import { Empty } from '../base/parts.tsx';
import { idIn, place } from '../base/router.ts';
import { useRead, useReadBy } from '../base/use-read.ts';
import { TEXT } from '../sentences.ts';
import { session } from '../session.ts';
import {
  conversationPath,
  type Data,
  listPath,
  type Page,
  type PanelConversation,
  readPages,
  type TeamMember,
  useTeam,
} from './api.ts';
import { ContactPane } from './contact-pane.tsx';
import { clearFilters, FilterBar, filtersIn, isFiltered } from './filters.tsx';
import { ConversationList } from './list.tsx';
import { Shortcuts } from './shortcuts.tsx';
import { ThreadPane } from './thread-pane.tsx';

const WIDE = '(min-width: 75.01rem)';

export function Conversations() {
  const { path, search } = place.value;
  const chosenId = idIn(path);
  const filters = filtersIn(search);
  const [more, setMore] = useState({ search, pages: 1 });
  const pages = more.search === search ? more.pages : 1;
  const memberId = session.value?.member?.id;
  const list = useReadBy<Page<PanelConversation>>(
    `${search} ${pages}`,
    { kinds: ['conversation', 'contact'] },
    () => readPages<PanelConversation>((page) => listPath(filters, memberId, page), pages),
  );
  const channels = useRead<Data<readonly Channel[]>>('/api/v1/channels', { kinds: ['channel'] });
  const members = useTeam();
  return (
    <Inbox chosenId={chosenId} team={members} rows={list.body?.data ?? []}>
      <div class="pane list-pane">
        <FilterBar filters={filters} channels={channels.body?.data ?? []} />
        <ConversationList
          read={list}
          team={members}
          chosenId={chosenId}
          filtered={isFiltered(filters)}
          onClear={clearFilters}
          onMore={() => setMore({ search, pages: pages + 1 })}
        />
      </div>
    </Inbox>
  );
}

interface InboxProps {
  readonly chosenId: string;
  readonly team: readonly TeamMember[];
  readonly rows: readonly PanelConversation[];
  readonly children: ComponentChildren;
}

function Inbox({ chosenId, team, rows, children }: InboxProps) {
  const [note, setNote] = useState(false);
  const [contactShown, setContactShown] = useState(() => matchMedia(WIDE).matches);
  // A note is never meant for the next conversation.
  useEffect(() => setNote(false), [chosenId]);
  const path = chosenId === '' ? null : conversationPath(chosenId);
  const read = useRead<Data<PanelConversation>>(path, { kinds: ['conversation'], id: chosenId });
  const current = read.body?.data.id === chosenId ? read.body.data : undefined;
  // The list's row shows at once, until the conversation itself is read.
  const conversation = current ?? rows.find(({ id }) => id === chosenId) ?? null;
  const withContact = contactShown && conversation !== null;
  const layout = `${chosenId === '' ? '' : 'reading'} ${withContact ? '' : 'without-contact'}`;
  return (
    <div class={`inbox ${layout}`}>
      <h1 class="spoken">{TEXT.conversations.title}</h1>
      {children}
      {chosenId === '' ? (
        <div class="pane thread-pane">
          <Empty title={TEXT.conversations.chooseTitle} text={TEXT.conversations.chooseText} />
        </div>
      ) : (
        <ThreadPane
          read={read}
          conversation={conversation}
          team={team}
          note={note}
          onNote={setNote}
          contactShown={contactShown}
          onContact={() => setContactShown(!contactShown)}
        />
      )}
      {withContact ? (
        <ContactPane conversation={conversation} onClose={() => setContactShown(false)} />
      ) : null}
      <Shortcuts onNote={setNote} />
    </div>
  );
}
