/** Screen "Conversas": the list, one thread, and its contact. */
import type { ComponentChildren } from 'preact';
import { useCallback, useEffect, useLayoutEffect, useState } from 'preact/hooks';
import type { Channel } from '../../../../shared/api/channel.ts';
import { Empty } from '../base/parts.tsx';
import { go, idIn, place } from '../base/router.ts';
import { useRead, useReadBy } from '../base/use-read.ts';
import { TEXT } from '../sentences.ts';
import { session } from '../session.ts';
import { ContactPane } from './contact-pane.tsx';
import { clearFilters, FilterBar, filtersIn, isFiltered } from './filters.tsx';
import { ConversationList } from './list.tsx';
import { SelectionSlot } from './selection/selection-slot.tsx';
import { useShownRows } from './selection/shown-rows.ts';
import { Shortcuts } from './shortcuts.tsx';
import {
  conversationPath,
  type Data,
  listPath,
  type Page,
  type PanelConversation,
  readPages,
  type TeamMember,
  useTeam,
} from './state/api.ts';
import { moveDrafts } from './state/drafts.ts';
import { ThreadPane } from './thread-pane.tsx';

const NO_ROWS: readonly PanelConversation[] = [];
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
  const rows = list.body?.data ?? NO_ROWS;
  useShownRows(rows, { filter: search, isRead: list.body !== null && !list.loading });
  return (
    <Inbox chosenId={chosenId} team={members} rows={rows}>
      <div class="pane list-pane">
        <FilterBar filters={filters} channels={channels.body?.data ?? []} team={members} />
        <ConversationList
          read={list}
          team={members}
          chosenId={chosenId}
          filtered={isFiltered(filters)}
          onClear={clearFilters}
          onMore={() => setMore({ search, pages: pages + 1 })}
        />
        <SelectionSlot team={members} />
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
  const { note, setNote } = useNote(chosenId);
  const { contactShown, setContactShown, wide } = useContactPane(chosenId);
  const path = chosenId === '' ? null : conversationPath(chosenId);
  const read = useRead<Data<PanelConversation>>(path, { kinds: ['conversation'], id: chosenId });
  const found = read.loading ? undefined : read.body?.data;
  useJoined(chosenId, found?.id ?? chosenId);
  // The list's row shows at once, until the conversation itself is read.
  const current = found?.id === chosenId ? found : rows.find(({ id }) => id === chosenId);
  const conversation = current ?? null;
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
          covered={withContact && !wide}
          onContact={() => setContactShown(!contactShown)}
        />
      )}
      {withContact ? (
        <ContactPane
          key={conversation.id}
          conversation={conversation}
          covering={!wide}
          onClose={() => setContactShown(false)}
        />
      ) : null}
      <Shortcuts onNote={setNote} />
    </div>
  );
}

/** A note is never meant for the next conversation. */
function useNote(chosenId: string) {
  const [notedId, setNotedId] = useState('');
  useLayoutEffect(() => setNotedId(''), [chosenId]);
  const setNote = useCallback((note: boolean) => setNotedId(note ? chosenId : ''), [chosenId]);
  return { note: notedId !== '' && notedId === chosenId, setNote };
}

/** Beside the thread where there is room; elsewhere over it, and of this conversation only. */
function useContactPane(chosenId: string) {
  const [wide, setWide] = useState(() => matchMedia(WIDE).matches);
  const [contactShown, setContactShown] = useState(wide);
  useEffect(() => {
    const media = matchMedia(WIDE);
    const onChange = () => {
      setWide(media.matches);
      setContactShown(media.matches);
    };
    media.addEventListener('change', onChange);
    return () => media.removeEventListener('change', onChange);
  }, []);
  useLayoutEffect(() => {
    if (!wide) setContactShown(false);
  }, [chosenId]);
  return { contactShown, setContactShown, wide };
}

/** A conversation that was joined to another one is answered with that one. */
function useJoined(askedId: string, foundId: string): void {
  useEffect(() => {
    if (askedId === '' || foundId === askedId) return;
    moveDrafts(askedId, foundId);
    go(`/conversas/${encodeURIComponent(foundId)}${place.value.search}`, 'replace');
  }, [askedId, foundId]);
}
