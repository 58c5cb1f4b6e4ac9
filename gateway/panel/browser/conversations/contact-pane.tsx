/** The contact beside the thread: data, opt-in, deals, tasks, and the running flow. */

import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Contact } from '../../../../shared/api/contact.ts';
import type { Deal } from '../../../../shared/api/deal.ts';
import type { Task } from '../../../../shared/api/task.ts';
import { query } from '../base/call.ts';
import { Isolated, isolated } from '../base/isolated.tsx';
import { Linked, OuterLink } from '../base/linked.tsx';
import { Link } from '../base/parts.tsx';
import { useRead } from '../base/use-read.ts';
import { fullTimeOf, moneyOf, phoneOf } from '../format.ts';
import { EditContact } from '../people/edit-contact.tsx';
import { TEXT } from '../sentences.ts';
import { mayWrite } from '../session.ts';
import { NewConversation } from './new-conversation.tsx';
import type { Data, Page, PanelConversation } from './state/api.ts';

const { contact: words } = TEXT;

interface ContactPaneProps {
  readonly conversation: PanelConversation;
  /** It lies over the thread. */
  readonly covering: boolean;
  readonly onClose: () => void;
}

export function ContactPane({ conversation, covering, onClose }: ContactPaneProps) {
  const close = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => {
    if (covering) close.current?.focus();
  }, [covering]);
  const { id } = conversation.contact;
  const path = `/panel/api/contacts/${encodeURIComponent(id)}`;
  const { body, loading } = useRead<Data<Contact>>(path, { kinds: ['contact'], id });
  // One that was merged into another is answered with that one.
  const contact = loading ? null : (body?.data ?? null);
  const { name, phone } = contact ?? conversation.contact;
  return (
    <aside class="pane contact-pane" aria-label={words.title}>
      <div class="row">
        <h2 class="grow cut">
          <Isolated text={name ?? words.nameless} />
        </h2>
        <button ref={close} type="button" class="button small" onClick={onClose}>
          {TEXT.close}
        </button>
      </div>
      <PhoneLink phone={phone} />
      {contact && mayWrite() ? (
        <EditContact contact={contact}>
          <NewConversation contact={contact} />
        </EditContact>
      ) : null}
      {conversation.run ? (
        <section>
          <h3>{words.flow}</h3>
          <p>{stepOf(conversation.run)}</p>
          <Link to={`/fluxos/${conversation.run.flowId}?conversa=${conversation.id}`}>
            {words.trace}
          </Link>
        </section>
      ) : null}
      <LastRun conversation={conversation} />
      {contact ? <ContactFacts contact={contact} /> : null}
      <ContactDeals contactId={contact?.id ?? id} />
      <ContactTasks contactId={contact?.id ?? id} />
    </aside>
  );
}

/** Of a contact without a number, such as a merged one: nothing. */
export function PhoneLink({ phone }: { readonly phone: string }) {
  if (phone === '') return null;
  return (
    <p>
      <OuterLink href={`tel:+${phone}`}>{phoneOf(phone)}</OuterLink>
    </p>
  );
}

function stepOf({ flowName, step }: NonNullable<PanelConversation['run']>): string {
  const name = isolated(flowName);
  return step === null ? name : words.flowAt(name, isolated(step));
}

function LastRun({ conversation: { id, lastRun } }: Pick<ContactPaneProps, 'conversation'>) {
  if (!lastRun) return null;
  const { flowId, flowName, endedAt, endedSeq } = lastRun;
  return (
    <section>
      <h3>{TEXT.flows.last}</h3>
      <p>{TEXT.flows.lastUntil(isolated(flowName), fullTimeOf(endedAt))}</p>
      <Link to={`/fluxos/${flowId}?conversa=${id}&fim=${endedSeq}`}>{TEXT.flows.lastTrace}</Link>
    </section>
  );
}

export function ContactFacts({ contact }: { readonly contact: Contact }) {
  const { tags, fields, email } = contact;
  const rows = Object.entries(fields);
  return (
    <>
      {email ? (
        <section>
          <h3>{words.email}</h3>
          <p class="anywhere">
            <OuterLink href={`mailto:${email}`}>{email}</OuterLink>
          </p>
        </section>
      ) : null}
      <section>
        <h3>{words.optIn}</h3>
        <p>{optInOf(contact)}</p>
      </section>
      <section>
        <h3>{words.tags}</h3>
        {tags.length === 0 ? <p class="soft">{words.noTags}</p> : null}
        <ul class="row">
          {tags.map((tag) => (
            <li key={tag} class="tag">
              <Isolated text={tag} />
            </li>
          ))}
        </ul>
      </section>
      {rows.length === 0 ? null : (
        <section>
          <h3>{words.fields}</h3>
          <dl class="facts">
            {rows.map(([name, value]) => (
              <>
                <dt>
                  <Isolated text={name} />
                </dt>
                <dd>
                  <bdi>
                    <Linked text={value} />
                  </bdi>
                </dd>
              </>
            ))}
          </dl>
        </section>
      )}
    </>
  );
}

function optInOf({ optIn, optInAt, optOutAt }: Contact): string {
  if (optIn && optInAt !== null) return words.optedIn(fullTimeOf(optInAt));
  return optOutAt === null ? words.optUnknown : words.optedOut(fullTimeOf(optOutAt));
}

function ContactDeals({ contactId }: { readonly contactId: string }) {
  const path = `/api/v1/deals${query({ contactId, limit: 20 })}`;
  const { body } = useRead<Page<Deal>>(path, { kinds: ['deal'] });
  const deals = body?.data ?? [];
  return (
    <section>
      <h3>{words.deals}</h3>
      {body && deals.length === 0 ? <p class="soft">{words.noDeals}</p> : null}
      <ul>
        {deals.map(({ id, title, valueCents, status }) => (
          <li key={id}>
            <Link to="/negocios">
              <Isolated text={title} />
            </Link>{' '}
            <span class="soft">
              {moneyOf(valueCents)}
              {status === 'open' ? '' : ` · ${status === 'won' ? TEXT.deals.won : TEXT.deals.lost}`}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function ContactTasks({ contactId }: { readonly contactId: string }) {
  const path = `/api/v1/tasks${query({ contactId, status: 'open', limit: 20 })}`;
  const { body } = useRead<Page<Task>>(path, { kinds: ['task'] });
  const tasks = body?.data ?? [];
  return (
    <section>
      <h3>{words.tasks}</h3>
      {body && tasks.length === 0 ? <p class="soft">{words.noTasks}</p> : null}
      <ul>
        {tasks.map(({ id, title, dueAt }) => (
          <li key={id}>
            <Isolated text={title} />{' '}
            <span class="soft small">{dueAt === null ? '' : fullTimeOf(dueAt)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
