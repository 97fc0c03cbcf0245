import { useState } from 'preact/hooks';
import { ParleyError } from '../../../../client/index.ts';
import { parley } from '../../state/client.ts';
import { draftOf, keepDraft } from '../../state/drafts.ts';
import { tell } from '../../state/toasts.ts';
import type { FileNode } from '../../state/workspace.ts';
import { Button } from '../parts/Button.tsx';
import { Dialog } from '../parts/Dialog.tsx';
import { TextArea } from '../parts/Field.tsx';
import { type Fields, Form } from '../parts/Form.tsx';
import { useLoaded } from '../parts/loading.ts';

interface EditorProps {
  serverId: string;
  node: FileNode;
  onClose(): void;
}

/** A text file, to be changed. */
export function Editor({ serverId, node, onClose }: EditorProps) {
  const { value: file } = useLoaded(
    () => parley.rest('GET /api/servers/:serverId/workspace/files/:fileId', { serverId, fileId: node.id }),
    [serverId, node.id],
  );
  return (
    <Dialog title={node.name} size="wide" onClose={onClose}>
      {!file && <p class="faint">One moment…</p>}
      {file && file.content === null && <p class="faint">This is no text.</p>}
      {file && file.content !== null && (
        <TextEditor serverId={serverId} node={node} onClose={onClose} content={file.content} version={file.version} />
      )}
    </Dialog>
  );
}

/** What was typed and not saved, and the version of the file that it was made from. */
interface Unsaved {
  text: string;
  version: number;
}

function unsavedOf(fileId: string): Unsaved | null {
  const kept = draftOf(fileId);
  return kept === '' ? null : JSON.parse(kept);
}

interface TextEditorProps extends EditorProps {
  content: string;
  version: number;
}

/** What is not saved is there again when one comes back. What someone else has saved meanwhile is not written over. */
function TextEditor({ serverId, node, onClose, content, version }: TextEditorProps) {
  const [unsaved, setUnsaved] = useState(() => unsavedOf(node.id));
  const [base, setBase] = useState(unsaved?.version ?? version);
  const [shown] = useState(unsaved?.text ?? content);
  const change = (text: string, of = base) => {
    const changed = { text, version: of };
    keepDraft(node.id, JSON.stringify(changed));
    setUnsaved(changed);
  };
  const forget = () => {
    keepDraft(node.id, '');
    setUnsaved(null);
  };
  const save = async ({ raw }: Fields) => {
    const text = raw('content');
    const saved = await saveText(serverId, node, text, base);
    setBase(saved);
    const typed = unsavedOf(node.id)?.text ?? text;
    if (typed === text) forget();
    // Meanwhile one has typed on.
    else change(typed, saved);
    tell(`${node.name} is saved.`);
  };
  const discard = () => {
    forget();
    onClose();
  };
  const beside = unsaved && <Button label="Discard the changes" kind="quiet" onClick={discard} />;
  return (
    <Form action="Save" work={save} beside={beside}>
      <TextArea
        label={`Content of ${node.name}`}
        name="content"
        code
        rows={20}
        value={shown}
        onInput={(text) => change(text)}
      />
    </Form>
  );
}

/** @returns its new version */
async function saveText(serverId: string, { id }: FileNode, content: string, version: number): Promise<number> {
  const params = { serverId, fileId: id, body: { content }, headers: { 'if-match': `"${version}"` } };
  try {
    return (await parley.rest('PATCH /api/servers/:serverId/workspace/files/:fileId', params)).version;
  } catch (error) {
    if (!(error instanceof ParleyError) || error.status !== 412) throw error;
    throw new Error('Someone else has saved this file meanwhile. Copy your text, discard it, and open the file again.');
  }
}
