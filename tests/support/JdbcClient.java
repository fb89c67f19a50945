// SPDX-License-Identifier: Apache-2.0

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.StringJoiner;

/**
 * Prints the rows of a query, and the columns of a table or view, as a JDBC driver returns them. The
 * arguments are the URL, the query and the name of the table. Cells are separated by tabs.
 */
public final class JdbcClient {

  private JdbcClient() {}

  public static void main(String[] arguments) throws SQLException {
    try (Connection connection = DriverManager.getConnection(arguments[0]);
        Statement statement = connection.createStatement()) {
      printRows(statement.executeQuery(arguments[1]));
      ResultSet columns = connection.getMetaData().getColumns(null, "default", arguments[2], null);
      while (columns.next()) {
        System.out.println(
            columns.getString("COLUMN_NAME")
                + "\t" + columns.getInt("DATA_TYPE")
                + "\t" + columns.getString("TYPE_NAME"));
      }
    }
  }

  private static void printRows(ResultSet rows) throws SQLException {
    ResultSetMetaData columns = rows.getMetaData();
    StringJoiner types = new StringJoiner("\t");
    for (int column = 1; column <= columns.getColumnCount(); column++) {
      types.add(columns.getColumnTypeName(column));
    }
    System.out.println(types);
    while (rows.next()) {
      StringJoiner cells = new StringJoiner("\t");
      for (int column = 1; column <= columns.getColumnCount(); column++) {
        cells.add(rows.getString(column));
      }
      System.out.println(cells);
    }
  }
}
