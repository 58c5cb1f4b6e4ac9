/** The list of conversations, newest first. */
import { isolated } from '../base/isolated.tsx';
import { Alert, Avatar, Empty, Link } from '../base/parts.tsx';
import { place } from '../base/router.ts';
import type { Read } from '../base/use-read.ts';
import { fullTimeOf, phoneOf, whenOf } from '../format.ts';
import { TEXT } from '../sentences.ts';
import { previewOf } from './preview.ts';
import { LastLine } from './row/last-line.tsx';
import { RowTags } from './row/row-tags.tsx';
import { SelectBox } from './selection/select-box.tsx';
import { nameOf, type Page, type PanelConversation, type TeamMember } from './state/api.ts';

const { conversations } = TEXT;

interface ListProps {
  readonly read: Read<Page<PanelConversation>>;
  readonly team: readonly TeamMember[];
  readonly chosenId: string;
  readonly filtered: boolean;
  readonly onClear: () => void;
  readonly onMore: () => void;
}

export function ConversationList({ read, team, chosenId, filtered, ...on }: ListProps) {
  const { body, refused } = read;
  const rows = body?.data ?? [];
  return (
    <div class="conversation-list">
      {refused ? <Alert refused={refused} onAgain={read.again} /> : null}
      <ul aria-label={conversations.title}>
        {rows.map((row) => (
          <Row key={row.id} conversation={row} team={team} chosen={row.id === chosenId} />
        ))}
      </ul>
      {body && rows.length === 0 ? <NoRows filtered={filtered} onClear={on.onClear} /> : null}
      {body && rows.length < body.total ? (
        <p class="list-end">
          <span class="small soft">{conversations.counted(rows.length, body.total)}</span>{' '}
          <button type="button" class="button small" onClick={on.onMore}>
            {TEXT.more}
          </button>
        </p>
      ) : null}
      {body === null && !refused ? <p class="empty">{TEXT.loading}</p> : null}
    </div>
  );
}

function NoRows({
  filtered,
  onClear,
}: {
  readonly filtered: boolean;
  readonly onClear: () => void;
}) {
  if (!filtered) return <Empty title={conversations.emptyTitle} text={conversations.emptyText} />;
  return (
    <Empty title={conversations.nothingFound}>
      <button type="button" class="button" onClick={onClear}>
        {conversations.clear}
      </button>
    </Empty>
  );
}

interface RowProps {
  readonly conversation: PanelConversation;
  readonly team: readonly TeamMember[];
  readonly chosen: boolean;
}

function Row({ conversation, team, chosen }: RowProps) {
  const { id, contact, unread, lastMessageAt, lastMessagePreview, status, channel } = conversation;
  // Without a name the phone is the name.
  const phone = contact.name === null ? '' : phoneOf(contact.phone);
  const assignee = team.find((member) => member.id === conversation.assignedTo)?.name;
  return (
    <li>
      <SelectBox conversation={conversation} />
      <Link
        to={`/conversas/${id}${place.value.search}`}
        class={unread === 0 ? 'conversation-row' : 'conversation-row unread'}
        current={chosen}
      >
        <Avatar name={nameOf(contact, contact.phone)} />
        <span class="conversation-text">
          <span class="row">
            <span class="conversation-name cut grow">
              {nameOf(contact, phoneOf(contact.phone))}
            </span>
            {lastMessageAt === null ? null : (
              <time class="small soft" dateTime={lastMessageAt} title={fullTimeOf(lastMessageAt)}>
                {whenOf(lastMessageAt)}
              </time>
            )}
          </span>
          <span class="row">
            <LastLine
              last={conversation.lastMessage}
              preview={previewOf(lastMessagePreview)}
              team={team}
            />
            {unread === 0 ? null : (
              <span class="badge">
                <span aria-hidden="true">{unread}</span>
                <span class="spoken">{conversations.unread(unread)}</span>
              </span>
            )}
          </span>
          <span class="row">
            <span class="row-facts small soft cut grow">
              {[channel.label, conversations.statuses[status], assignee]
                .flatMap((fact) => (fact === undefined ? [] : [isolated(fact)]))
                .join(' · ')}
            </span>
            <RowTags tags={conversation.contactTags ?? []} />
          </span>
          <span class="spoken">{phone}</span>
        </span>
      </Link>
    </li>
  );
}
