/** Filters of the list. They are part of the address, so that a link and a reload keep them. */
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Channel } from '../../../../shared/api/channel.ts';
import { query } from '../base/call.ts';
import { isolated } from '../base/isolated.tsx';
import { Select } from '../base/parts.tsx';
import { go, place } from '../base/router.ts';
import { after } from '../clock.ts';
import { useTagOptions } from '../people/use-tags.ts';
import { TEXT } from '../sentences.ts';
import { mayWrite, session } from '../session.ts';
import { NewConversation } from './new-conversation.tsx';
import { HelpButton } from './shortcuts.tsx';
import { type Filters, NO_FILTERS, type TeamMember } from './state/api.ts';

const { conversations } = TEXT;
const SEARCH_PAUSE_MS = 250;
const VIEWS = ['all', 'mine', 'unassigned'] as const;
const STATUSES = ['open', 'in_flow', 'resolved'] as const;

export function filtersIn(search: string): Filters {
  const entries = new URLSearchParams(search);
  return {
    view: VIEWS.find((view) => view === entries.get('view')) ?? 'all',
    unread: entries.get('unread') === 'true',
    channelId: entries.get('channelId') ?? '',
    status: STATUSES.find((status) => status === entries.get('status')) ?? '',
    assigneeId: entries.get('assigneeId') ?? '',
    tag: entries.get('tag') ?? '',
    query: entries.get('query') ?? '',
  };
}

export function isFiltered({ view, unread, ...texts }: Filters): boolean {
  return view !== 'all' || unread || Object.values(texts).some((text) => text !== '');
}

function applyFilters(filters: Filters): void {
  const { view, unread, ...rest } = filters;
  const shown = {
    ...rest,
    view: view === 'all' ? '' : view,
    unread: unread ? 'true' : '',
  };
  go(place.value.path + query(shown), 'replace');
}

export function clearFilters(): void {
  applyFilters(NO_FILTERS);
}

interface FilterBarProps {
  readonly filters: Filters;
  readonly channels: readonly Channel[];
  readonly team: readonly TeamMember[];
}

export function FilterBar({ filters, channels, team }: FilterBarProps) {
  const tags = useTagOptions(filters.tag);
  // A search waits for a moment: others may have changed meanwhile.
  const set = (change: Partial<Filters>) =>
    applyFilters({ ...filtersIn(place.value.search), ...change });
  return (
    <search class="list-head" aria-label={conversations.filters}>
      <div class="row">
        <SearchBox text={filters.query} onText={(text) => set({ query: text })} />
        {mayWrite() ? <NewConversation contact={null} narrow /> : null}
        <HelpButton />
      </div>
      <Views filters={filters} set={set} />
      <div class="pair">
        <Select
          quiet
          label={conversations.channel}
          value={filters.channelId}
          onValue={(channelId) => set({ channelId })}
          options={[
            ['', conversations.everyChannel],
            ...channels.map(({ id, label }) => [id, label] as const),
          ]}
        />
        <Select
          quiet
          label={conversations.status}
          value={filters.status}
          onValue={(status) => set({ status })}
          options={[
            ['', conversations.everyStatus],
            ...STATUSES.map((status) => [status, conversations.statuses[status]] as const),
          ]}
        />
        <Select
          quiet
          aside
          label={TEXT.people.tag}
          value={filters.tag}
          onValue={(tag) => set({ tag })}
          options={[['', conversations.everyTag], ...tags.slice(1)]}
        />
        <Select
          quiet
          label={conversations.assignee}
          value={filters.view === 'all' ? filters.assigneeId : ''}
          onValue={(assigneeId) => set({ assigneeId, view: 'all' })}
          options={[
            ['', conversations.everyAssignee],
            ...team.map(({ id, name }) => [id, isolated(name)] as const),
          ]}
        />
      </div>
    </search>
  );
}

interface ViewsProps {
  readonly filters: Filters;
  readonly set: (change: Partial<Filters>) => void;
}

function Views({ filters, set }: ViewsProps) {
  const views = [
    ['all', conversations.all],
    ...(session.value?.member ? [['mine', conversations.mine] as const] : []),
    ['unassigned', conversations.unassigned],
  ] as const;
  return (
    <div class="row views">
      {views.map(([view, text]) => (
        <button
          key={view}
          type="button"
          class="button small quiet"
          aria-pressed={filters.view === view && filters.assigneeId === ''}
          onClick={() => set({ view, assigneeId: '' })}
        >
          {text}
        </button>
      ))}
      <button
        type="button"
        class="button small quiet"
        aria-pressed={filters.unread}
        onClick={() => set({ unread: !filters.unread })}
      >
        {conversations.unreadOnly}
      </button>
    </div>
  );
}

interface SearchBoxProps {
  readonly text: string;
  readonly onText: (text: string) => void;
}

/** Searches a moment after the last key. */
function SearchBox({ text, onText }: SearchBoxProps) {
  const [written, setWritten] = useState(text);
  const applied = useRef(text);
  useLayoutEffect(() => {
    // Its own search comes back here, when more letters may be written.
    if (text !== applied.current) setWritten(text);
    applied.current = text;
  }, [text]);
  useEffect(() => {
    if (written === applied.current) return;
    return after(SEARCH_PAUSE_MS, () => {
      applied.current = written;
      onText(written);
    });
  }, [written]);
  return (
    <input
      class="input grow"
      type="search"
      aria-label={TEXT.search}
      aria-keyshortcuts="/"
      placeholder={conversations.searchHint}
      value={written}
      onInput={({ currentTarget }) => setWritten(currentTarget.value)}
    />
  );
}
