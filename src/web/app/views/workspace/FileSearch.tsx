import { useEffect, useRef, useState } from 'preact/hooks';
import { pathTo } from '../../state/router.ts';
import { type FoundNode, foundAtOnce } from '../../state/workspace.ts';
import { More } from '../parts/Button.tsx';
import { Icon } from '../parts/Icon.tsx';
import { usePages } from '../parts/loading.ts';
import { Marked } from '../talk/Found.tsx';
import { useApp, useTexts } from '../useApp.ts';
import { type FileTask, open } from './tasks.ts';

/** The pause after which what was typed is looked for. */
const pauseMs = 250;

interface SearchProps {
  /** What is looked for. */
  text: string;
  onSearch(text: string): void;
}

/** A field for what to look for in all files; Escape empties it. */
export function FileSearch({ text, onSearch }: SearchProps) {
  const { t } = useTexts();
  const [typed, setTyped] = useState(text);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const look = (now: string, ms: number) => {
    setTyped(now);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => onSearch(now.trim()), ms);
  };
  useEffect(() => () => clearTimeout(timer.current), []);
  return (
    <search class="file-search">
      <Icon name="search" />
      <input
        type="search"
        aria-label={t('Search all files')}
        placeholder={t('Search all files')}
        maxLength={256}
        autocomplete="off"
        value={typed}
        onInput={(event) => look(event.currentTarget.value, pauseMs)}
        onKeyDown={({ key, isComposing }) => {
          if (isComposing) return;
          if (key === 'Escape') look('', 0);
          else if (key === 'Enter') look(typed, 0);
        }}
      />
    </search>
  );
}

interface FoundProps {
  serverId: string;
  text: string;
  onTask(task: FileTask): void;
}

/** What was found, with why. */
export function FoundFiles({ serverId, text, onTask }: FoundProps) {
  const { t } = useTexts();
  const { workspace } = useApp();
  const read = (known: readonly FoundNode[]) => workspace.search(serverId, text, known.length);
  const { list, onMore } = usePages<FoundNode>(foundAtOnce, read, [serverId, text]);
  const said = !list
    ? t('One moment…')
    : list.length === 0
      ? t('Nothing was found for “{words}”.', { words: text })
      : t('{count, plural, one {# item} other {# items}}', { count: list.length });
  return (
    <>
      <p class="faint" role="status">
        {said}
      </p>
      <ul class="people found-files">
        {list?.map((node) => (
          <FoundRow key={node.id} serverId={serverId} node={node} onTask={onTask} />
        ))}
      </ul>
      {onMore && <More onMore={onMore} />}
    </>
  );
}

function FoundRow({ serverId, node, onTask }: { serverId: string; node: FoundNode; onTask(task: FileTask): void }) {
  const app = useApp();
  const { t } = useTexts();
  const { excerpt, kind, name, path, parentId } = node;
  const title = excerpt.of === 'name' ? <Marked text={excerpt.text} marks={excerpt.marks} /> : name;
  const above = path.slice(1, -name.length - 1).replaceAll('/', ' › ');
  return (
    <li>
      <Icon name={kind === 'dir' ? 'folder' : 'file'} />
      <span class="who">
        {kind === 'dir' ? (
          <a class="name" href={pathTo.files(serverId, node.id)}>
            {title}
          </a>
        ) : (
          <button type="button" class="name link" onClick={() => open(app, serverId, node, onTask)}>
            {title}
          </button>
        )}
        {excerpt.of === 'content' && (
          <span class="excerpt">
            <Marked text={excerpt.text} marks={excerpt.marks} />
          </span>
        )}
        <a class="faint" href={pathTo.files(serverId, parentId)}>
          {above || t('Workspace')}
        </a>
      </span>
    </li>
  );
}
