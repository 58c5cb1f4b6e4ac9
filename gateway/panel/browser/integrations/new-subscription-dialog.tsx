/** A new subscription: an address, and the events that go there. */
import { useState } from 'preact/hooks';
import { CONTRACT_EVENTS, EXTENSION_EVENTS } from '../../../../shared/events.ts';
import { FormDialog } from '../base/dialog.tsx';
import { errorAt, errorBeside } from '../base/field-errors.ts';
import { Alert, Check, Field } from '../base/parts.tsx';
import { useChange } from '../base/use-change.ts';
import type { Data } from '../conversations/state/api.ts';
import type { Once } from '../keys/shown-once.tsx';
import { TEXT } from '../sentences.ts';

const URL_MAX_CHARS = 2_048;
const { integrations } = TEXT;
const EVERY_EVENT = '*';

interface NewSubscriptionDialogProps {
  readonly onClose: () => void;
  readonly onSecret: (shown: Once) => void;
}

export function NewSubscriptionDialog({ onClose, onSecret }: NewSubscriptionDialogProps) {
  const [url, setUrl] = useState('');
  const [events, setEvents] = useState<readonly string[]>([EVERY_EVENT]);
  const { busy, refused, make } = useChange('organization');
  const create = async () => {
    const body = { url: url.trim(), events };
    const options = { body };
    const path = '/panel/api/subscriptions';
    const answer = await make<Data<{ readonly secret: string }>>(path, options);
    if (!answer) return;
    const { secret } = answer.data;
    const lead = integrations.once;
    onSecret({ secret, title: integrations.created, lead, label: integrations.secret });
  };
  return (
    <FormDialog
      title={integrations.createSubscription}
      confirm={integrations.confirmCreate}
      busy={busy || events.length === 0}
      onClose={onClose}
      onConfirm={() => void create()}
    >
      <Field
        label={integrations.url}
        value={url}
        onValue={setUrl}
        maxLength={URL_MAX_CHARS}
        error={errorAt(refused, 'url')}
        required
      />
      <EventChoice events={events} onEvents={setEvents} />
      <Alert refused={errorBeside(refused, ['url'])} />
    </FormDialog>
  );
}

interface EventChoiceProps {
  readonly events: readonly string[];
  readonly onEvents: (events: readonly string[]) => void;
}

function EventChoice({ events, onEvents }: EventChoiceProps) {
  const everyEvent = events.includes(EVERY_EVENT);
  const named = everyEvent ? EXTENSION_EVENTS : [...CONTRACT_EVENTS, ...EXTENSION_EVENTS];
  const toggle = (name: string, chosen: boolean) =>
    onEvents(chosen ? [...events, name] : events.filter((each) => each !== name));
  return (
    <fieldset class="choices">
      <legend class="soft small">{integrations.events}</legend>
      <Check
        text={integrations.everyEvent}
        checked={everyEvent}
        onChecked={(chosen) =>
          onEvents(
            chosen
              ? [EVERY_EVENT, ...EXTENSION_EVENTS.filter((each) => events.includes(each))]
              : [],
          )
        }
      />
      {named.map((name) => (
        <Check
          key={name}
          text={name}
          checked={events.includes(name)}
          onChecked={(chosen) => toggle(name, chosen)}
        />
      ))}
    </fieldset>
  );
}
