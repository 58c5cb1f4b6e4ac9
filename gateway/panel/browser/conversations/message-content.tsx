/** Content beside a message's text: the template's name, buttons, a choice of the contact. */
import type { Message } from '../../../../shared/api/message.ts';
import { isolated } from '../base/isolated.tsx';
import { OuterLink } from '../base/linked.tsx';
import { mapHref } from '../base/links.ts';
import { fullTimeOf } from '../format.ts';
import { TEXT } from '../sentences.ts';

const { content } = TEXT;

/** Titles of the buttons and rows that the contact may choose. */
function choicesOf(interactive: NonNullable<Message['interactive']>): readonly string[] {
  switch (interactive.type) {
    case 'buttons':
      return interactive.buttons.map(({ title }) => title);
    case 'list':
      return interactive.sections.flatMap(({ rows }) => rows.map(({ title }) => title));
    case 'url':
      return [interactive.title];
    default:
      return [];
  }
}

export function MessageContent({ message }: { readonly message: Message }) {
  const { template, interactive, direction, scheduledAt, status, location } = message;
  const choices = interactive === undefined || direction === 'in' ? [] : choicesOf(interactive);
  const isChoice = direction === 'in' && interactive !== undefined;
  return (
    <>
      {template === undefined ? null : (
        <p class="small soft">{content.template(isolated(template.name))}</p>
      )}
      {isChoice ? <p class="small soft">{content.choice}</p> : null}
      {choices.length === 0 ? null : (
        <ul class="choices" aria-label={content.choices}>
          {choices.map((title) => (
            <li key={title} class="choice">
              {isolated(title)}
            </li>
          ))}
        </ul>
      )}
      {location === undefined ? null : (
        <p class="small">
          <OuterLink href={mapHref(location.latitude, location.longitude)}>{content.map}</OuterLink>
        </p>
      )}
      {scheduledAt !== undefined && status === 'scheduled' ? (
        <p class="small soft">{TEXT.schedule.at(fullTimeOf(scheduledAt))}</p>
      ) : null}
    </>
  );
}
