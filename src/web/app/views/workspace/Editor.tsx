import { useState } from 'preact/hooks';
import { ParleyError } from '../../../../client/index.ts';
import { parley } from '../../state/client.ts';
import { tell } from '../../state/toasts.ts';
import type { FileNode } from '../../state/workspace.ts';
import { Dialog } from '../parts/Dialog.tsx';
import { TextArea } from '../parts/Field.tsx';
import { type Fields, Form } from '../parts/Form.tsx';
import { useLoaded } from '../parts/loading.ts';

interface EditorProps {
  serverId: string;
  node: FileNode;
  onClose(): void;
}

/** A text file, to be changed. What someone else has saved meanwhile is not written over. */
export function Editor({ serverId, node, onClose }: EditorProps) {
  const params = { serverId, fileId: node.id };
  const { value: file } = useLoaded(
    () => parley.rest('GET /api/servers/:serverId/workspace/files/:fileId', params),
    [serverId, node.id],
  );
  const [version, setVersion] = useState<number | null>(null);
  const save = async ({ raw }: Fields) => {
    const headers = { 'if-match': `"${version ?? file?.version}"` };
    const body = { content: raw('content') };
    try {
      const saved = await parley.rest('PATCH /api/servers/:serverId/workspace/files/:fileId', {
        ...params,
        body,
        headers,
      });
      setVersion(saved.version);
      tell(`${node.name} is saved.`);
    } catch (error) {
      if (!(error instanceof ParleyError) || error.status !== 412) throw error;
      throw new Error('Someone else has saved this file meanwhile. Copy your text, and open it again.');
    }
  };
  return (
    <Dialog title={node.name} wide onClose={onClose}>
      {!file && <p class="faint">One moment…</p>}
      {file && file.content === null && <p class="faint">This is no text.</p>}
      {file && file.content !== null && (
        <Form action="Save" work={save}>
          <TextArea label={`Content of ${node.name}`} name="content" code rows={20} value={file.content} />
        </Form>
      )}
    </Dialog>
  );
}
