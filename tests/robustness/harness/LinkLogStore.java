// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.robustness;

import io.delta.storage.HDFSLogStore;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.Iterator;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;

/**
 * A log store for several processes on one local disk. Delta requires that, of two writers of one
 * version, the second fails. Delta's own log store for local disks checks whether the file exists and
 * then renames, which is only safe within one JVM. This one creates a hard link, which the kernel
 * rejects if the file exists.
 */
public class LinkLogStore extends HDFSLogStore {

    public LinkLogStore(Configuration conf) {
        super(conf);
    }

    @Override
    public void write(Path path, Iterator<String> actions, Boolean overwrite, Configuration conf)
            throws IOException {
        if (overwrite) {
            super.write(path, actions, true, conf);
            return;
        }
        java.nio.file.Path complete = Paths.get(createTempPath(path).toUri().getPath());
        try (java.io.Writer writer = Files.newBufferedWriter(complete, StandardCharsets.UTF_8)) {
            while (actions.hasNext()) {
                writer.write(actions.next());
                writer.write('\n');
            }
        }
        try {
            Files.createLink(Paths.get(path.toUri().getPath()), complete);
        } finally {
            Files.delete(complete);
        }
    }
}
