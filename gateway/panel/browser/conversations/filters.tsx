/** Filters of the list. They are part of the address, so that a link and a reload keep them. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Channel } from '../../../../shared/api/channel.ts';
import { query } from '../base/call.ts';
import { Select } from '../base/parts.tsx';
import { go, place } from '../base/router.ts';
import { after } from '../clock.ts';
import { TEXT } from '../sentences.ts';
import { session } from '../session.ts';
import { HelpButton } from './shortcuts.tsx';
import { type Filters, NO_FILTERS } from './state/api.ts';

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
    query: entries.get('query') ?? '',
  };
}

export function isFiltered({ view, unread, channelId, status, query: text }: Filters): boolean {
  return view !== 'all' || unread || channelId !== '' || status !== '' || text !== '';
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
}

export function FilterBar({ filters, channels }: FilterBarProps) {
  // A search waits for a moment: others may have changed meanwhile.
  const set = (change: Partial<Filters>) =>
    applyFilters({ ...filtersIn(place.value.search), ...change });
  return (
    <search class="list-head" aria-label={conversations.filters}>
      <div class="row">
        <SearchBox text={filters.query} onText={(text) => set({ query: text })} />
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
          aria-pressed={filters.view === view}
          onClick={() => set({ view })}
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
  useEffect(() => {
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
      placeholder={TEXT.search}
      value={written}
      onInput={({ currentTarget }) => setWritten(currentTarget.value)}
    />
  );
}
