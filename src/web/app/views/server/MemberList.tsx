import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { Member } from '../../state/members.ts';
import { More } from '../parts/More.tsx';

/** So many are drawn at a time: thousands at once would hold up the page for seconds. */
const step = 100;

interface MemberListProps {
  /** Null until it has come. */
  list: readonly Member[] | null;
  row(member: Member): ComponentChildren;
}

/** People among whom one can be found by name, however many there are. */
export function MemberList({ list, row }: MemberListProps) {
  const [sought, setSought] = useState('');
  const [shown, setShown] = useState(step);
  const text = sought.trim().toLowerCase();
  const found = (list ?? []).filter(({ nickname, user }) =>
    `${nickname ?? ''} ${user.displayName} ${user.username}`.toLowerCase().includes(text),
  );
  const seek = (value: string) => {
    setSought(value);
    setShown(step);
  };
  return (
    <>
      <input
        type="search"
        aria-label="Find a member"
        placeholder="Find a member"
        value={sought}
        onInput={(event) => seek(event.currentTarget.value)}
      />
      <ul class="people found">
        {found.slice(0, shown).map(row)}
        {found.length > shown && (
          <li key="more">
            <More onMore={async () => setShown(shown + step)} />
          </li>
        )}
      </ul>
      {found.length === 0 && <p class="empty">{list ? 'Nobody here is called that.' : 'One moment…'}</p>}
    </>
  );
}
