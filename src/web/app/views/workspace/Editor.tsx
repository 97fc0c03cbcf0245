import { useState } from 'preact/hooks';
import { ParleyError } from '../../../../client/index.ts';
import type { FileNode } from '../../state/workspace.ts';
import { Button } from '../parts/Button.tsx';
import { Dialog } from '../parts/Dialog.tsx';
import { TextArea } from '../parts/Field.tsx';
import { type Fields, Form } from '../parts/Form.tsx';
import { useLoaded } from '../parts/loading.ts';
import { type AppState, useApp, useTexts } from '../useApp.ts';
import { kindOf } from './kinds.ts';
import { TextOf } from './Preview.tsx';

interface EditorProps {
  serverId: string;
  node: FileNode;
  onClose(): void;
}

/** Ctrl+S, or ⌘S, saves as everywhere, wherever the focus is. */
function saveByKey(event: KeyboardEvent): void {
  const { key, ctrlKey, metaKey, altKey, shiftKey, currentTarget } = event;
  if (!(ctrlKey || metaKey) || altKey || shiftKey || key.toLowerCase() !== 's') return;
  // The browser would save the page.
  event.preventDefault();
  if (currentTarget instanceof HTMLElement) currentTarget.querySelector('form')?.requestSubmit();
}

/** An editor for a text file. */
export function Editor({ serverId, node, onClose }: EditorProps) {
  const { t } = useTexts();
  const { workspace } = useApp();
  const { value: file } = useLoaded(() => workspace.read(serverId, node.id), [serverId, node.id]);
  return (
    <Dialog title={node.name} size="full" onKeyDown={saveByKey} onClose={onClose}>
      {!file && <p class="faint">{t('One moment…')}</p>}
      {file && file.content === null && <p class="faint">{t('This is not text.')}</p>}
      {file && file.content !== null && (
        <TextEditor serverId={serverId} node={node} onClose={onClose} content={file.content} version={file.version} />
      )}
    </Dialog>
  );
}

/** Unsaved text, and the version of the file that it is based on. */
interface Unsaved {
  text: string;
  version: number;
}

function unsavedOf(app: AppState, fileId: string): Unsaved | null {
  const kept = app.drafts.of(fileId);
  return kept === '' ? null : JSON.parse(kept);
}

interface TextEditorProps extends EditorProps {
  content: string;
  version: number;
}

/** Unsaved text is kept as a draft. A version saved by someone else meanwhile is not overwritten. */
function TextEditor(props: TextEditorProps) {
  const { node, onClose } = props;
  const { t } = useTexts();
  const { unsaved, isBehind, shown, change, save, discard } = useText(props);
  const [isRead, setRead] = useState(false);
  const isMarkdown = kindOf(node) === 'markdown';
  const beside = (
    <>
      {unsaved ? (
        <Button label={t('Discard the changes')} kind="quiet" onClick={() => discard(onClose)} />
      ) : (
        <span class="faint">{t('Everything is saved.')}</span>
      )}
      {isMarkdown && (
        <Button label={isRead ? t('Go on writing') : t('Preview')} kind="quiet" onClick={() => setRead(!isRead)} />
      )}
    </>
  );
  return (
    <Form
      action={isBehind ? t('Save over it') : t('Save')}
      class={isRead ? 'editor read' : 'editor'}
      work={({ raw }: Fields) => save(raw('content'))}
      beside={beside}
    >
      {isRead && <TextOf name={t('Preview')} file={node} text={unsaved?.text ?? shown} />}
      <TextArea
        label={t('Content of {name}', { name: node.name })}
        name="content"
        code
        rows={20}
        value={shown}
        hint={t('{key} saves.', { key: /Mac|iPhone|iPad/.test(navigator.platform) ? '⌘S' : 'Ctrl+S' })}
        onInput={change}
      />
    </Form>
  );
}

function useText({ serverId, node, content, version }: TextEditorProps) {
  const { t } = useTexts();
  const app = useApp();
  const { drafts, showToast } = app;
  const [unsaved, setUnsaved] = useState(() => unsavedOf(app, node.id));
  const [base, setBase] = useState(unsaved?.version ?? version);
  const [shown, setShown] = useState(unsaved?.text ?? content);
  /** Someone has saved another version, over which nothing is saved by accident. */
  const [isBehind, setBehind] = useState(false);
  const change = (text: string, of = base) => {
    const changed = { text, version: of };
    drafts.keep(node.id, JSON.stringify(changed));
    setUnsaved(changed);
  };
  const forget = () => {
    drafts.keep(node.id, '');
    setUnsaved(null);
  };
  const save = async (text: string) => {
    const saved = await saveText(app, serverId, node, text, isBehind ? null : base);
    if (saved === null) {
      setBehind(true);
      throw new Error(
        t(
          'Someone else has saved this file meanwhile. If you save over it, what they wrote is kept as an earlier version.',
        ),
      );
    }
    setBehind(false);
    setBase(saved);
    setShown(text);
    const typed = unsavedOf(app, node.id)?.text ?? text;
    if (typed === text) forget();
    // The user has typed more meanwhile.
    else change(typed, saved);
    showToast(t('{name} is saved.', { name: node.name }));
  };
  const discard = (onClose: () => void) => {
    forget();
    onClose();
  };
  return { unsaved, isBehind, shown, change: (text: string) => change(text), save, discard };
}

/** @param version that it is based on; null: whatever it has now @returns its new version; null: it has another one by now */
async function saveText(
  app: AppState,
  serverId: string,
  { id }: FileNode,
  content: string,
  version: number | null,
): Promise<number | null> {
  const headers = version === null ? {} : { 'if-match': `"${version}"` };
  const params = { serverId, fileId: id, body: { content }, headers };
  try {
    return (await app.client.rest('PATCH /api/servers/:serverId/workspace/files/:fileId', params)).version;
  } catch (error) {
    if (error instanceof ParleyError && error.status === 412) return null;
    throw error;
  }
}
