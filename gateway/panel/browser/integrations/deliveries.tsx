/** Deliveries, newest first, by subscription and status. */
import { useEffect, useState } from 'preact/hooks';
import { DELIVERY_STATUSES } from '../../../../shared/vocabulary.ts';
import { query } from '../base/call.ts';
import { Alert, Select } from '../base/parts.tsx';
import { useRead } from '../base/use-read.ts';
import { every } from '../clock.ts';
import { TEXT } from '../sentences.ts';
import type { DeliveryPage, Target } from './api.ts';
import { DeliveryLine } from './delivery-line.tsx';
import { RetryRangeDialog } from './retry-range-dialog.tsx';

const LIMIT = 50;
/** No hint tells of an attempt: while a delivery waits, the page reads by its clock. */
const READ_EVERY_MS = 3_000;
const { integrations } = TEXT;

interface DeliveriesProps {
  readonly targets: readonly Target[];
}

/** The filters, and the page that they show. */
function useDeliveries() {
  const [subscriptionId, setSubscriptionId] = useState('');
  const [status, setStatus] = useState('');
  const [page, setPage] = useState(1);
  const path = `/panel/api/deliveries${query({ subscriptionId, status, page, limit: LIMIT })}`;
  const read = useRead<DeliveryPage>(path, { kinds: ['organization', 'event'] });
  const waits = read.body?.data.some(({ status: each }) => each === 'pending');
  useEffect(() => (waits ? every(READ_EVERY_MS, read.again) : undefined), [waits, read.again]);
  const filter = (set: (value: string) => void) => (value: string) => {
    set(value);
    setPage(1);
  };
  return {
    ...{ subscriptionId, status, page, read, setPage },
    filterSubscription: filter(setSubscriptionId),
    filterStatus: filter(setStatus),
  };
}

export function Deliveries({ targets }: DeliveriesProps) {
  const shown = useDeliveries();
  const { subscriptionId, page, read, setPage } = shown;
  const chosen = subscriptionId !== '';
  const [notice, setNotice] = useState('');
  const [retrying, setRetrying] = useState(false);
  const tell = (count: number) => setNotice(integrations.retried(count));
  const rows = read.body?.data ?? [];
  return (
    <section class="block">
      <header class="row">
        <h2 class="grow">{integrations.deliveries}</h2>
        <Filters shown={shown} targets={targets} />
        <button
          type="button"
          class="button"
          aria-disabled={!chosen}
          onClick={() => (chosen ? setRetrying(true) : setNotice(integrations.rangeNeeds))}
        >
          {integrations.retryRange}
        </button>
      </header>
      <p role="status" class={notice === '' ? 'spoken' : 'notice'}>
        {notice}
      </p>
      <Alert refused={read.refused} onAgain={read.again} />
      {read.body && rows.length === 0 ? <p class="soft">{integrations.noDeliveries}</p> : null}
      <ul class="lines" aria-label={integrations.deliveries}>
        {rows.map((row) => {
          const target = targets.find(({ id }) => id === row.subscriptionId) ?? null;
          return <DeliveryLine key={row.id} row={row} target={target} onRetried={tell} />;
        })}
      </ul>
      <Pager page={page} more={read.body?.more === true} onPage={setPage} />
      {retrying ? (
        <RetryRangeDialog
          subscriptionId={subscriptionId}
          onClose={() => setRetrying(false)}
          onRetried={tell}
        />
      ) : null}
    </section>
  );
}

interface FiltersProps extends DeliveriesProps {
  readonly shown: ReturnType<typeof useDeliveries>;
}

function Filters({ shown, targets }: FiltersProps) {
  return (
    <>
      <Select
        quiet
        label={integrations.subscription}
        value={shown.subscriptionId}
        onValue={shown.filterSubscription}
        options={[
          ['', integrations.everySubscription],
          ...targets.map(({ id, label }) => [id, label] as const),
        ]}
      />
      <Select
        quiet
        label={integrations.status}
        value={shown.status}
        onValue={shown.filterStatus}
        options={[
          ['', integrations.everyStatus],
          ...DELIVERY_STATUSES.map((each) => [each, integrations.statuses[each]] as const),
        ]}
      />
    </>
  );
}

interface PagerProps {
  readonly page: number;
  readonly more: boolean;
  readonly onPage: (page: number) => void;
}

function Pager({ page, more, onPage }: PagerProps) {
  if (page === 1 && !more) return null;
  return (
    <div class="row">
      <button
        type="button"
        class="button"
        aria-disabled={page === 1}
        onClick={() => page > 1 && onPage(page - 1)}
      >
        {TEXT.newer}
      </button>
      <button
        type="button"
        class="button"
        aria-disabled={!more}
        onClick={() => more && onPage(page + 1)}
      >
        {TEXT.older}
      </button>
    </div>
  );
}
