// nodes: own

import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { boundaryOf, readParts } from '../../src/rest/multipart.ts';

async function* inPieces(bytes: Buffer, size: number) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function read(body: Buffer | string, size = 1000, boundary = 'XX') {
  const parts = [];
  for await (const part of readParts(inPieces(Buffer.from(body), size), boundary)) {
    const pieces: Buffer[] = [];
    for await (const piece of part.bytes) pieces.push(piece);
    parts.push({ ...part, bytes: Buffer.concat(pieces) });
  }
  return parts;
}

const failure = (body: string) =>
  read(body).then(
    () => 'no failure',
    (error) => error.code,
  );

describe('multipart bodies', () => {
  it('are the same whatever pieces they arrive in', async () => {
    // Bytes that look like delimiters, but are not.
    const file = Buffer.concat([randomBytes(3000), Buffer.from('\r\n--X\r\n\r\n--\r\n-XX\r--XX'), randomBytes(10)]);
    const body = Buffer.concat([
      Buffer.from('--XX\r\ncontent-disposition: form-data; name="parentId"\r\n\r\nroot\r\n'),
      Buffer.from('--XX\r\nContent-Disposition: form-data; name="file"; filename="naïve 🎉.txt"\r\n'),
      Buffer.from('Content-Type: Text/Plain; charset=utf-8\r\n\r\n'),
      file,
      Buffer.from('\r\n--XX--\r\nepilogue'),
    ]);
    for (const size of [1, 2, 3, 7, 64, 1000, 100_000]) {
      const [field, upload, ...more] = await read(body, size);
      expect(field).to.deep.include({ field: 'parentId', isFile: false, name: '' });
      expect(field?.bytes.toString()).to.equal('root');
      expect(upload).to.deep.include({ field: 'file', isFile: true, name: 'naïve 🎉.txt', type: 'text/plain' });
      expect(upload?.bytes.equals(file), `pieces of ${size}`).to.equal(true);
      expect(more).to.be.empty;
    }
  });

  it('may have empty files, empty fields, no parts at all and a preamble', async () => {
    const part = 'Content-Disposition: form-data; name="file"; filename=""';
    const [empty] = await read(`hello\r\n--XX  \r\n${part}\r\n\r\n\r\n--XX--`);
    expect(empty?.bytes.length).to.equal(0);
    expect(await read('--XX--\r\n')).to.be.empty;
  });

  it('give names as browsers, curl and others write them, without folders', async () => {
    const nameOf = async (disposition: string) =>
      (await read(`--XX\r\nContent-Disposition: form-data; name="file"; ${disposition}\r\n\r\nx\r\n--XX--`))[0]?.name;
    expect(await nameOf('filename="a%22b.txt"')).to.equal('a"b.txt');
    expect(await nameOf('filename="a\\"b.txt"')).to.equal('a"b.txt');
    expect(await nameOf('filename=plain.txt')).to.equal('plain.txt');
    expect(await nameOf(`filename="x.txt"; filename*=UTF-8''na%C3%AFve.txt`)).to.equal('naïve.txt');
    expect(await nameOf('filename="../../etc/passwd"')).to.equal('passwd');
    expect(await nameOf('filename="C:\\temp\\x.txt"')).to.equal('x.txt');
    expect(await nameOf('filename="ends\\"')).to.equal('ends');
    expect(await nameOf(`filename*=UTF-8''na%C3%AFve.txt; filename="x.txt"`)).to.equal('naïve.txt');
    expect(await nameOf(`filename*=iso-8859-1''na%EFve.txt`)).to.equal('naïve.txt');
  });

  it('have the field that is named so, whatever the file is called and in whatever order', async () => {
    for (const fileName of ['a; name=b', 'ends\\', 'a; filename=c', 'x%22; name=%22y']) {
      const body = `--XX\r\nContent-Disposition: form-data; filename="${fileName}"; name="file"\r\n\r\nx\r\n--XX--`;
      expect((await read(body))[0]?.field, fileName).to.equal('file');
    }
  });

  it('may have a file without a name', async () => {
    const body = `--XX\r\nContent-Disposition: form-data; name="file"\r\n\r\n${'x'.repeat(100_000)}\r\n--XX--`;
    const [part] = await read(body);
    expect(part).to.include({ field: 'file', isFile: true, name: '' });
  });

  it('that are broken are refused', async () => {
    expect(await failure('')).to.equal('MALFORMED_MULTIPART');
    expect(await failure('no delimiter')).to.equal('MALFORMED_MULTIPART');
    expect(await failure('--XX\r\nContent-Disposition: form-data; name="a"\r\n\r\nends')).to.equal(
      'MALFORMED_MULTIPART',
    );
    expect(await failure('--XX\r\nX: y\r\n\r\n\r\n--XX--')).to.equal('MALFORMED_MULTIPART');
    expect(await failure('--XXX\r\n')).to.equal('MALFORMED_MULTIPART');
    expect(await failure(`--XX\r\n${'h: v\r\n'.repeat(10_000)}\r\n`)).to.equal('MALFORMED_MULTIPART');
    const many = '--XX\r\nContent-Disposition: form-data; name="a"\r\n\r\n\r\n'.repeat(100);
    expect(await failure(`${many}--XX--`)).to.equal('MALFORMED_MULTIPART');
  });

  it('name their boundary in the content type', () => {
    expect(boundaryOf('multipart/form-data; boundary=abc')).to.equal('abc');
    expect(boundaryOf('Multipart/Form-Data; charset=utf-8; boundary="a b"')).to.equal('a b');
    expect(() => boundaryOf('multipart/form-data'))
      .to.throw()
      .with.property('code', 'MALFORMED_MULTIPART');
    expect(() => boundaryOf('application/json'))
      .to.throw()
      .with.property('code', 'UNSUPPORTED_MEDIA_TYPE');
  });
});
