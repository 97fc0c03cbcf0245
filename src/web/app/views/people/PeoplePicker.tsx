import { useEffect, useState } from 'preact/hooks';
import { othersIn, type SmallUser } from '../../state/groups.ts';
import { Avatar } from '../parts/Avatar.tsx';
import { Field } from '../parts/Field.tsx';
import { useApp, useTexts } from '../useApp.ts';

interface PickerProps {
  chosen: readonly SmallUser[];
  /** Those who are there already. */
  without: readonly string[];
  most: number;
  onChange(chosen: SmallUser[]): void;
}

/** How long nothing is typed before people are looked up. */
const pauseMs = 250;
const shownAtOnce = 20;

/** A list of people to choose from: friends and those of conversations, and by a name everyone of the user's servers. */
export function PeoplePicker({ chosen, without, most, onChange }: PickerProps) {
  const { t } = useTexts();
  const [typed, setTyped] = useState('');
  const known = useKnown(typed).filter(({ id }) => !without.includes(id));
  const others = known.filter(({ id }) => !chosen.some((one) => one.id === id)).slice(0, shownAtOnce);
  const isFull = chosen.length >= most;
  return (
    <>
      <Field
        label={t('People')}
        name="people"
        placeholder={t('Search people')}
        maxlength={100}
        autofocus
        onInput={setTyped}
      />
      <p class="hint" role="status">
        {chosen.length === 0
          ? t('Nobody is chosen yet.')
          : t('{count} of up to {most} chosen.', { count: chosen.length, most })}
      </p>
      <ul class="people choices">
        {[...chosen, ...others].map((user) => {
          const isChosen = chosen.includes(user);
          return (
            <li key={user.id}>
              <label class="check">
                <input
                  type="checkbox"
                  checked={isChosen}
                  disabled={isFull && !isChosen}
                  onChange={() => onChange(isChosen ? chosen.filter((one) => one !== user) : [...chosen, user])}
                />
                <Avatar user={user} size="small" />
                <span class="who">
                  {user.displayName} <span class="faint">@{user.username}</span>
                </span>
              </label>
            </li>
          );
        })}
      </ul>
      {known.length === 0 && (
        <p class="faint">{t('Nobody among your friends, conversations and servers has this name.')}</p>
      )}
    </>
  );
}

/** Those whom a text may mean, friends first. */
export function useKnown(typed: string): SmallUser[] {
  const { client, people, me } = useApp();
  const [found, setFound] = useState<SmallUser[]>([]);
  const query = typed.trim().replace(/^@/, '');
  useEffect(() => {
    setFound([]);
    if (query === '') return;
    let isOver = false;
    const timer = setTimeout(() => {
      // What is known here is shown anyway.
      const read = client.rest('GET /api/search/people', { query: { query, limit: shownAtOnce } });
      read.then((answer) => !isOver && setFound(answer)).catch(() => {});
    }, pauseMs);
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [query]);
  const own = me.value?.id;
  const near = [
    ...people.friends.value.map(({ user }) => user),
    ...people.dms.value.flatMap((dm) => othersIn(dm, own)),
  ].filter(({ displayName, username }) =>
    [displayName, username].some((name) => name.toLocaleLowerCase().includes(query.toLocaleLowerCase())),
  );
  const all = new Map([...near, ...found].map((user) => [user.id, user]));
  return [...all.values()].filter(({ id }) => id !== own);
}
