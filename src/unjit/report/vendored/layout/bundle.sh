#!/bin/sh
# layout.js and LICENCES.txt again, from the versions that package.json pins.
set -eu
cd "$(dirname "$0")"
npm install --no-package-lock --no-fund --no-audit --silent
npm run --silent bundle
for folder in node_modules/@dagrejs/* node_modules/d3-* node_modules/internmap; do
  echo "${folder#node_modules/}"
  echo
  cat "$folder/LICENSE"
  echo
done > LICENCES.txt
rm -r node_modules
