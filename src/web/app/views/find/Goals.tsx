import type { RefObject } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';
import { isComposing } from '../../state/keyboard.ts';
import { Badge } from '../frame/Entry.tsx';
import type { Task } from '../frame/Switcher.tsx';
import { Avatar } from '../parts/Avatar.tsx';
import { Icon } from '../parts/Icon.tsx';
import { Marked } from '../talk/Found.tsx';
import { useApp, useTexts } from '../useApp.ts';
import { type Goal, useGoals } from './useGoals.ts';

interface GoalsProps {
  /** The id of the list, which the field names. */
  id: string;
  field: RefObject<HTMLInputElement | null>;
  typed: string;
  onClose(): void;
  onTask(task: Task): void;
}

/** Where one may want to go by what is typed, in groups. Arrow keys choose while the field keeps the focus. */
export function Goals({ id, field, typed, onClose, onTask }: GoalsProps) {
  const { t } = useTexts();
  const { groups, isSearching } = useGoals(typed, onTask);
  const all = groups.flatMap(({ list }) => list);
  const [chosen, setChosen] = useState(0);
  useLayoutEffect(() => setChosen(0), [typed]);
  const at = Math.min(chosen, all.length - 1);
  const go = (goal: Goal) => {
    onClose();
    goal.run();
  };
  useKeys(field, (event) => {
    const goal = all[at];
    if (event.key === 'ArrowDown') setChosen((at + 1) % Math.max(1, all.length));
    else if (event.key === 'ArrowUp') setChosen((at + all.length - 1) % Math.max(1, all.length));
    else if (event.key === 'Enter' && goal) go(goal);
    else return;
    event.preventDefault();
  });
  useLayoutEffect(() => {
    if (at >= 0) field.current?.setAttribute('aria-activedescendant', `${id}-${at}`);
    else field.current?.removeAttribute('aria-activedescendant');
    document.getElementById(`${id}-${at}`)?.scrollIntoView({ block: 'nearest' });
  }, [at, all.length, all[at]?.key]);
  return (
    <>
      <div class="jump-list" id={id} role="listbox" aria-label={t('Places and actions')}>
        {groups.map(({ name, list }) => (
          <fieldset key={name} aria-label={name}>
            <p class="group-name" aria-hidden="true">
              {name}
            </p>
            {list.map((goal) => (
              <GoalOption
                key={goal.key}
                id={`${id}-${all.indexOf(goal)}`}
                goal={goal}
                isChosen={goal === all[at]}
                onChoose={() => go(goal)}
              />
            ))}
          </fieldset>
        ))}
      </div>
      <p class="faint" role="status">
        {all.length === 0 && (isSearching ? t('One moment…') : t('No results'))}
      </p>
      <p class="hint">{t('Start with # for channels, @ for people, > for actions.')}</p>
    </>
  );
}

/** Takes the keys of the field before it does anything with them. */
function useKeys(field: RefObject<HTMLInputElement | null>, press: (event: KeyboardEvent) => void): void {
  // In a layout effect, to be ready for the next key.
  useLayoutEffect(() => {
    const input = field.current;
    const listen = (event: KeyboardEvent) => {
      if (!isComposing(event)) press(event);
    };
    input?.addEventListener('keydown', listen);
    return () => input?.removeEventListener('keydown', listen);
  });
}

interface OptionProps {
  id: string;
  goal: Goal;
  isChosen: boolean;
  onChoose(): void;
}

function GoalOption({ id, goal, isChosen, onChoose }: OptionProps) {
  const { notifications } = useApp();
  const { name, about, marks, icon, user, count, channelId } = goal;
  return (
    <div
      id={id}
      role="option"
      tabIndex={-1}
      class={isChosen ? 'chosen' : ''}
      aria-selected={isChosen}
      onClick={onChoose}
      onKeyDown={(event) => event.key === 'Enter' && onChoose()}
    >
      {user ? <Avatar user={user} size="small" /> : icon && <Icon name={icon} />}
      <span class="name">
        <Marked text={name} marks={marks} />
      </span>{' '}
      <span class="name faint">{about}</span>
      <span class="space" />
      <Badge count={count} quiet={!channelId || !notifications.channelsForMe.value.has(channelId)} />
    </div>
  );
}
