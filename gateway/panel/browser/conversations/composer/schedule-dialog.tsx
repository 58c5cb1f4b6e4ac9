/** The time of a scheduled message, in the organization's time zone. */
import { useState } from 'preact/hooks';
import { FormDialog } from '../../base/dialog.tsx';
import { Field } from '../../base/parts.tsx';
import { now } from '../../clock.ts';
import { momentOf, today } from '../../format.ts';
import { TEXT } from '../../sentences.ts';

const { schedule } = TEXT;

interface ScheduleDialogProps {
  readonly onClose: () => void;
  /** ISO 8601 in UTC. */
  readonly onChosen: (sendAt: string) => void;
}

export function ScheduleDialog({ onClose, onChosen }: ScheduleDialogProps) {
  const [day, setDay] = useState(today());
  const [time, setTime] = useState('');
  const [past, setPast] = useState(false);
  const confirm = () => {
    const sendAt = momentOf(day, time);
    const isPast = Date.parse(sendAt) <= now();
    setPast(isPast);
    if (isPast) return;
    onChosen(sendAt);
    onClose();
  };
  return (
    <FormDialog
      title={schedule.title}
      confirm={schedule.confirm}
      busy={false}
      onClose={onClose}
      onConfirm={confirm}
    >
      <div class="pair">
        <Field label={schedule.day} type="date" value={day} onValue={setDay} required />
        <Field
          label={schedule.time}
          type="time"
          value={time}
          onValue={setTime}
          error={past ? schedule.past : undefined}
          required
          focused
        />
      </div>
    </FormDialog>
  );
}
