/** Navigation by role, the person, and the screen that the path names. */

import type { ComponentType } from 'preact';
import { Component, type ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Refused } from '../base/call.ts';
import { Icon } from '../base/icon.tsx';
import { Isolated } from '../base/isolated.tsx';
import { Alert, Avatar, Link } from '../base/parts.tsx';
import { late } from '../base/repeater.ts';
import { go, place } from '../base/router.ts';
import { TEXT } from '../sentences.ts';
import { type Session, signOut } from '../session.ts';
import { NoticesButton } from './notices/notices-button.tsx';
import { useUnread } from './notices/use-unread.ts';
import { NoOrganization, OrganizationChoice } from './organization-choice.tsx';
import { HOME, type Screen, screensOf } from './screens.ts';

export function Shell({ session }: { readonly session: Session }) {
  const [unable, setUnable] = useState<Refused | null>(null);
  const screens = screensOf(session.role);
  const [, first = ''] = place.value.path.split('/');
  const screen = screens.find(({ path }) => path === first);
  useEffect(() => {
    const home = screens.find(({ ofInstallation }) => ofInstallation) ?? screens[0];
    if (first === '' && home) go(`/${home.path}`, 'replace');
  }, [first]);
  const unread = useUnread(session.member?.id ?? null);
  useEffect(() => {
    const named = screen ? `${screen.name} · ${TEXT.product}` : TEXT.product;
    document.title = unread > 0 ? `(${unread}) ${TEXT.product}` : named;
  }, [screen, unread]);
  return (
    <div class="shell">
      <a class="skip button" href="#content">
        {TEXT.skip}
      </a>
      <Side {...{ session, screens, unread }} current={screen} onRefused={setUnable} />
      <main class="content" id="content" tabIndex={-1}>
        <Alert refused={unable} />
        <p role="status" class={late.value > 0 ? 'notice' : 'spoken'}>
          {late.value > 0 ? TEXT.errors.stale : ''}
        </p>
        <Boundary key={`${screen?.path ?? first} ${session.organization?.id}`}>
          <Content screen={screen} session={session} isRoot={first === ''} />
        </Boundary>
      </main>
    </div>
  );
}

interface ContentProps {
  readonly session: Session;
  readonly screen: Screen | undefined;
  readonly isRoot: boolean;
}

function Content({ session, screen, isRoot }: ContentProps) {
  if (!screen) return isRoot ? null : <h1 class="screen">{TEXT.notFound}</h1>;
  const shows = session.organization !== null || screen.ofInstallation === true;
  return shows ? <Loaded screen={screen} /> : <NoOrganization name={screen.name} />;
}

interface SideProps {
  readonly session: Session;
  readonly screens: readonly Screen[];
  readonly current: Screen | undefined;
  /** Unread conversations. */
  readonly unread: number;
  /** Signing out was refused, or null. */
  readonly onRefused: (refused: Refused | null) => void;
}

function Side({ session, screens, current, unread, onRefused }: SideProps) {
  const { member, organization, role } = session;
  const leave = async () => {
    const refused = await signOut();
    if (refused) onRefused({ ...refused, sentence: TEXT.team.signOutFailed });
    else go('/entrar', 'replace');
  };
  return (
    <header class="side">
      <p class="brand cut">{organization?.name ?? TEXT.product}</p>
      <nav aria-label={TEXT.navigation.label}>
        <ul>
          {screens.map((screen) => (
            <li key={screen.path}>
              <Link to={`/${screen.path}`} current={screen === current}>
                <Icon path={screen.icon} />
                {screen.name}
                {screen.path === HOME && unread > 0 ? <UnreadCount count={unread} /> : null}
              </Link>
            </li>
          ))}
        </ul>
        {member ? <NoticesButton memberId={member.id} /> : null}
      </nav>
      {role === 'operator' ? <OrganizationChoice /> : null}
      <div class="person">
        {member ? <Avatar name={member.name} /> : null}
        <p class="person-name small">
          <span class="cut strong">
            <Isolated text={member?.name ?? ''} />
          </span>
          <span class="cut soft">{TEXT.roles[role]}</span>
        </p>
        <button type="button" class="button small quiet" onClick={() => void leave()}>
          {TEXT.signIn.signOut}
        </button>
      </div>
    </header>
  );
}

function UnreadCount({ count }: { readonly count: number }) {
  return (
    <>
      {' '}
      <span class="badge">
        {count}
        <span class="spoken"> {TEXT.notices.unread(count)}</span>
      </span>
    </>
  );
}

/** A screen's script is fetched when the screen is first opened. */
function Loaded({ screen }: { readonly screen: Screen }) {
  const [state, setState] = useState<{ readonly Shown: ComponentType } | 'failed' | null>(null);
  useEffect(() => {
    screen.load().then(
      (Shown) => setState({ Shown }),
      () => setState('failed'),
    );
  }, [screen]);
  if (state === 'failed') return <Broken />;
  return state === null ? <p class="spoken">{TEXT.loading}</p> : <state.Shown />;
}

function Broken() {
  return (
    <div class="screen">
      <div class="alert" role="alert">
        <p>{TEXT.errors.screen}</p>
        <button type="button" class="button" onClick={() => location.reload()}>
          {TEXT.errors.reload}
        </button>
      </div>
    </div>
  );
}

/** A fault in one screen leaves the navigation alive. */
class Boundary extends Component<{ readonly children: ComponentChildren }, { failed: boolean }> {
  override state = { failed: false };

  static override getDerivedStateFromError(): { failed: boolean } {
    return { failed: true };
  }

  override componentDidCatch(error: unknown): void {
    console.error(error);
  }

  override render() {
    return this.state.failed ? <Broken /> : this.props.children;
  }
}
