import fs from 'node:fs';
import path from 'node:path';

/** Writes the license texts of every bundled package. @param modules ids that the bundler gives to files */
export function writeNotices(root, modules, file) {
  const folders = new Set(modules.map(packageFolder).filter(Boolean));
  const notices = [...folders]
    .map((folder) => notice(path.resolve(root, folder)))
    .sort((a, b) => a.name.localeCompare(b.name));
  const parts = notices.map(
    ({ name, version, license, text }) => `${name} ${version} (${license})\n\n${text}`,
  );
  const head = 'sandlot bundles the packages below. Each is under its own license.\n';
  fs.writeFileSync(file, [head, ...parts].join(`\n${'-'.repeat(80)}\n\n`));
}

/** Returns nothing for a file of sandlot. The bundler adds a NUL before the ids of modules that it generates. */
function packageFolder(id) {
  return /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(id.replace(/^\0/, ''))?.[1];
}

function notice(folder) {
  const read = (...parts) => fs.readFileSync(path.join(...parts), 'utf8').trim();
  const { name, version, license, author } = JSON.parse(read(folder, 'package.json'));
  const licenseFile = fs.readdirSync(folder).find((entry) => /^(licen[cs]e|copying)/i.test(entry));
  if (licenseFile) return { name, version, license, text: read(folder, licenseFile) };
  // Some packages name a license, but do not contain its text.
  const standard = path.join(import.meta.dirname, 'licenses', `${license}.txt`);
  if (!fs.existsSync(standard)) throw new Error(`${name} has no license text: ${folder}`);
  const holder = typeof author === 'string' ? author : (author?.name ?? `the ${name} authors`);
  return { name, version, license, text: `Copyright ${holder}\n\n${read(standard)}` };
}
